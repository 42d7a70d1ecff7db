// SPDX-License-Identifier: Apache-2.0
//
// How the picture looks. Scoped by the class of its root, since inside HTML a
// style holds for the whole page.
#pragma once

namespace stowplan::report {

inline constexpr char kSvgStyle[] = R"(
.sp{--ink:#14181f;--soft:#5b6472;--line:#dfe3e8;--back:#fff;--lane:#f5f6f8;
--mark:#b8134f;font-family:system-ui,"Segoe UI","Helvetica Neue",Arial,
"DejaVu Sans",sans-serif;font-size:12px;fill:var(--ink);
font-variant-numeric:tabular-nums}
@media (prefers-color-scheme:dark){.sp{--ink:#e8ebf0;--soft:#a3acb9;
--line:#333a45;--back:#14171c;--lane:#1b1f26;--mark:#ff7aa6}}
.sp .back{fill:var(--back)}
.sp .lane{fill:var(--lane)}
.sp .grid{stroke:var(--line);stroke-width:1}
.sp .axis{fill:var(--soft);font-size:11px}
.sp .head{font-size:14px;font-weight:600}
.sp .note{fill:var(--soft);font-size:12px;font-weight:400}
.sp .b rect{stroke:var(--back);stroke-width:.75}
.sp .b .n{stroke:none}
.sp .b .p{stroke:var(--ink);stroke-width:1.5}
.sp .b rect:hover{stroke:var(--mark);stroke-width:2}
.sp .in{fill:#10141a;font-size:11px;pointer-events:none}
.sp .peak{fill:var(--mark);fill-opacity:.1;stroke:var(--mark);
stroke-width:1.5;pointer-events:none}
.sp .peakline{stroke:var(--mark);stroke-width:1.5;pointer-events:none}
.sp .peaktext{fill:var(--mark);font-weight:600}
.sp .arena{stroke:var(--ink);stroke-width:1.5}
.sp .bound{stroke:var(--ink);stroke-width:1.5;stroke-dasharray:6 4}
.sp .halo{paint-order:stroke;stroke:var(--back);stroke-width:4px;
stroke-linejoin:round}
.sp .area{fill:#6aa5e3;fill-opacity:.45;stroke:#3d7cc0;stroke-width:1}
.sp .call{fill:#c59cf0}
.sp .key{stroke:var(--line)}
)";

}  // namespace stowplan::report
