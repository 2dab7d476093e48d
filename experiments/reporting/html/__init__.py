"""The report as one HTML file that opens from disk, in a browser and without a network."""
