"""The dynamics of backfilling (Tsafrir and Feitelson, 2006): "heel and toe"."""
