"""A worker: claims jobs, runs their handlers under leases, reports what came of them.

poll or stream lane ──┐ jobs
                      ├──────► workbench ──► report lane ──► engine
report lane ──────────┘        (handlers, leases)   (its answers bring jobs too)
"""
