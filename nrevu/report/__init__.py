"""The report: HTML pages that need nothing else, with verdicts, figures, tables, provenance.

In: what the workflow has left in results/ for some experiments, all of it or a part. Out: the text
of a page on them, or of the index of pages. What is missing is named, and nothing is claimed from
it. content.py reads the results, page.py writes the pages, plots.py draws figures to point at.
"""
