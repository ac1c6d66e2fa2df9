"""PV-EASY (Yuan et al., HPDC 2010)."""
