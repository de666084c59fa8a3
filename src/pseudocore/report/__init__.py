"""What a person sees of a run: tables, pictures, charts, a page. Numpy in, files out."""
