"""The study `study-detection`: which way of walking exposes wrong domains, and how soon."""
