"""Jobs that the engine dispatches through Kafka: where they come from, and when their messages count as handled.

topic ──► consumer (a thread) ──► lane ──► workbench ──► report lane ──► engine
               ▲                   │ ▲                        │
               └──── commits ──────┘ └──── answered ◄─────────┘

If the process dies
  before the handler ran, or while it runs     the message is not committed: another worker gets it
  after the report, before the commit          another worker gets it; its report is refused as stale, and it commits
and if the engine does not answer, the report is repeated and the message stays uncommitted.
"""
