"""A report on one run or several: what it shows as tables, and the figures drawn from them."""
