"""How to cite the benchmark."""

CITATION = """\
@article{hupkes2025multiloko,
  title = {{MultiLoKo}: a multilingual local knowledge benchmark for {LLMs} spanning 31 languages},
  author = {Hupkes, Dieuwke and Bogoychev, Nikolay},
  journal = {CoRR},
  volume = {abs/2504.10356},
  year = {2025},
  url = {https://arxiv.org/abs/2504.10356},
}
"""
