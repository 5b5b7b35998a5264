"""What Sphinx is told about the site; ``docs/build_site.py`` brings the pages."""

project = "softlearn"
extensions = ["myst_parser"]
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 3
smartquotes = False  # what is shown is what is typed
html_theme = "furo"
html_title = "softlearn"
html_show_sphinx = False
html_copy_source = False
html_show_sourcelink = False
pygments_style = "friendly"
pygments_dark_style = "monokai"
