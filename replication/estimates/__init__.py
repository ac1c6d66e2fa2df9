"""What users say of run times: their own estimates, and models of them."""
