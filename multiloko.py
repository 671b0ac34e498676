"""Loader of MultiLoKo: 250 locally relevant questions in each of 31 languages, and their translations.

``multiloko install`` prepares every config once, and then ``load_dataset("multiloko", "fr")`` works from any folder, on
datasets 2.21 to 5.x. The class below does the preparing. It can be used by itself, too:

    builder = MultiLoKo(config_name="fr", data_dir="benchmark_data")
    builder.download_and_prepare()
    dataset = builder.as_dataset()
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import datasets

from multiloko_metric.citation import CITATION
from multiloko_metric.languages import ALL
from multiloko_source.download import official_url
from multiloko_source.expected import CONFIG_NAMES, require_every_file
from multiloko_source.rows import FIELDS, Row
from multiloko_source.source import LOADER_VERSION, Source, open_source

_DESCRIPTION = """\
MultiLoKo asks language models 250 questions in each of 31 languages, written by speakers of the language about what is
locally relevant to them. Every non-English set is translated into English, and the English set into every other
language, by people and by machine, so that the effect of the language and of the place can be told apart.
"""

_FEATURES = {
    name: {"targets": datasets.Sequence(datasets.Value("string")), "translated": datasets.Value("bool")}.get(
        name, datasets.Value("string")
    )
    for name in FIELDS
}


class MultiLoKo(datasets.GeneratorBasedBuilder):  # type: ignore[misc]  # datasets is untyped in some supported versions
    """Builder with 152 configs: 31 languages, 60 translations into English, 60 from English, and ``all`` 31 at once.

    Args:
        data_dir: a folder in the official layout, the encrypted archive, or a Hub repository such as
            ``facebook/multiloko``. Without it, the environment variable ``MULTILOKO_DATA`` is used, and without either
            the official archive is downloaded.
        arguments, options: as ``datasets.DatasetBuilder`` takes them. A ``hash`` is replaced by the fingerprint of the
            source: edited data are new data, and the same data have one folder, wherever they came from.

    Raises:
        multiloko_source.errors.SourceError: the source is missing, damaged, or holds a malformed line.
    """

    VERSION = datasets.Version(LOADER_VERSION)
    BUILDER_CONFIGS = [datasets.BuilderConfig(name=name, version=LOADER_VERSION) for name in CONFIG_NAMES]  # noqa: RUF012
    DEFAULT_CONFIG_NAME = ALL

    def __init__(self, *arguments: Any, data_dir: str | Path | Source | None = None, **options: Any) -> None:
        location = data_dir or os.environ.get("MULTILOKO_DATA")
        # data_dir stays here: datasets would put it into the name of the folder, where load_dataset does not look.
        self.source = open_source(location, keep=True) if location else _official_source()
        dataset_name = options.pop("dataset_name", None) or "multiloko"
        options["hash"] = self.source.fingerprint
        super().__init__(*arguments, dataset_name=dataset_name, **options)

    def _info(self) -> datasets.DatasetInfo:
        return datasets.DatasetInfo(
            description=_DESCRIPTION,
            features=datasets.Features(_FEATURES),
            homepage="https://github.com/facebookresearch/multiloko",
            license="mit",
            citation=CITATION,
        )

    def _split_generators(self, dl_manager: datasets.DownloadManager) -> list[datasets.SplitGenerator]:
        splits = self.source.splits(self.config.name, required=True)
        if self.info.splits and not set(splits) <= set(self.info.splits):
            self.info.splits = None  # datasets 2.21 to 3.6 fail on a split that dataset_infos.json does not list
        return [datasets.SplitGenerator(name=split, gen_kwargs={"split": split}) for split in splits]

    def _generate_examples(self, split: str) -> Iterator[tuple[int, Row]]:
        yield from enumerate(self.source.rows(self.config.name, split))


def _official_source() -> Source:
    """The official archive: downloaded, decrypted and unpacked beside the cache, and whole."""
    archive = datasets.DownloadManager(dataset_name="multiloko").download(official_url())
    return require_every_file(open_source(archive, keep=True))
