// Colours of the picture, for readers of light and of dark pages.

export const STYLE = `
text { font: 13px system-ui, -apple-system, "Segoe UI", sans-serif; }
.paper { fill: #ffffff; } .head { font-size: 17px; font-weight: 600; fill: #1f2328; }
.axis, .tick { fill: #57606a; } .tick { font-size: 12px; } .note { fill: #57606a; font-size: 12px; }
.grid { stroke: #d8dee4; fill: none; } .base { stroke: #8c959f; fill: none; }
.arrivals { fill: #bc4c00; } .calls { fill: #0969da; } .loss { stroke: #8250df; stroke-width: 2; fill: none; }
.mark { stroke: #1f2328; stroke-dasharray: 4 4; fill: none; } .label { fill: #1f2328; font-weight: 600; }
@media (prefers-color-scheme: dark) {
  .paper { fill: #0d1117; } .head, .label { fill: #e6edf3; } .axis, .tick, .note { fill: #9198a1; }
  .grid { stroke: #262c36; } .base { stroke: #656c76; } .mark { stroke: #e6edf3; }
  .arrivals { fill: #f0883e; } .calls { fill: #4493f8; } .loss { stroke: #bc8cff; }
}
`
