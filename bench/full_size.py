"""Write a data set of full size in the official layout, made from the sample: 250 rows a file, 151 files.

usage: python bench/full_size.py FOLDER [--text CHARACTERS]

The real paragraphs are about 3,500 characters long; the sample's are repeated up to that length.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from pathlib import Path

from multiloko_source.expected import FEWSHOT_EXAMPLES, QUESTIONS
from multiloko_source.json_lines import numbered_lines
from multiloko_source.sample import write_sample


def write_full_size(folder: Path, text: int = 3500) -> None:
    """Write to ``folder`` every file of the sample, its questions repeated under new ids."""
    with tempfile.TemporaryDirectory() as small:
        write_sample(Path(small))
        for path in sorted(Path(small).glob("*/*.jsonl")):
            count = FEWSHOT_EXAMPLES if path.stem == "knowledge_fewshot" else QUESTIONS
            rows = [json.loads(line) for _, line in numbered_lines(path)]
            target = folder / path.relative_to(small)
            target.parent.mkdir(parents=True, exist_ok=True)
            with target.open("w", encoding="utf-8") as file:
                for number in range(count):
                    row = dict(rows[number % len(rows)])
                    if "id" in row:
                        row["id"] = f"{number:04d}_{row['id']}"
                        row["text"] = (row["text"] + " ") * (text // len(row["text"]) + 1)
                    file.write(json.dumps(row, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--text", type=int, default=3500)
    options = parser.parse_args()
    write_full_size(options.folder, options.text)
