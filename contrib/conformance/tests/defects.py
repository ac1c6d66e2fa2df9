"""Ten defects for `my_easy.py`: a line of it, what stands there instead, and the sentence."""

DEFECTS = {
    "strictly before the shadow time": (
        "<= shadow\n        if job",
        "< shadow\n        if job",
        "E11",
    ),
    "extra processors are not used up": ('extra -= job["size"]', "pass", "E12"),
    "no extra processors": ('return shadow, available - head["size"]', "return shadow, 0", "E12"),
    "only the ends that the head needs count": (
        'free + sum(j["size"] for j in running if planned_end(j, now) <= shadow)',
        '(free := free + job["size"])',
        "E9",
    ),
    "jobs are killed at their estimates": (
        'return job["start"] + job["run"]',
        'return job["start"] + min(job["run"], job["est"])',
        "E15",
    ),
    "the end of a job past its estimate stays in the past": (
        'return max(job["start"] + job["est"], now)',
        'return job["start"] + job["est"]',
        "E15",
    ),
    "of jobs submitted together the highest number goes first": (
        'key=lambda job: (job["submit"], job["id"])',
        'key=lambda job: (job["submit"], -job["id"])',
        "E4",
    ),
    "candidates are planned with their run times": (
        'now + job["est"] <= shadow',
        'now + job["run"] <= shadow',
        "E14",
    ),
    "whatever fits is backfilled": ('or not (in_time or job["size"] <= extra)', "", "E7"),
    "a job of run time 0 runs for a second": (
        'return job["start"] + job["run"]',
        'return job["start"] + max(job["run"], 1)',
        "E3",
    ),
}
