"""Compare and audit schedules of any simulator, and write Batsim's table of jobs."""
