"""Prints the results as a table of text, as Markdown, and as a plot."""

import html
import statistics


def text(result):
    lines = [f"\n{result.title}"]
    for row in result.rows:
        if row.failure:
            lines.append(f"  {row.name:18} {row.failure}")
            continue
        scores = row.likeness or []
        psnr = " ".join(f"{score[0]:.2f}" for score in scores) or "–"
        ssim = " ".join(f"{score[1]:.4f}" for score in scores) or "another size"
        lines.append(f"  {row.name:18} {row.milliseconds:8.1f} ms {row.ratio:6.2f} × vips  {row.megabytes:5.0f} MB "
                     f"(idle {row.idle_megabytes:3.0f})  {row.byte_count:8} bytes  PSNR {psnr}  SSIM {ssim}")
    return "\n".join(lines)


def markdown(results):
    """Returns a row for each work: the mean over its photos."""
    names = [row.name for row in results[0].rows]
    lines = ["| work | photos | Tintype, CPU ms | " + " | ".join(names[1:]) + " |",
             "| --- " * (len(names) + 2) + "|"]
    for work, photos in by_work(results).items():
        cells = []
        for name in names[1:]:
            ratios = ratios_of(photos, name)
            cells.append(f"{statistics.geometric_mean(ratios):.2f} ×" if ratios else "–")
        ours = statistics.mean(photo.row("Tintype").milliseconds for photo in photos)
        lines.append(f"| {work} | {len(photos)} | {ours:.1f} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def by_work(results):
    works = {}
    for result in results:
        if not result.row("Tintype").failure:
            works.setdefault(result.work, []).append(result)
    return works


def ratios_of(photos, name):
    """Returns the ratio of a contender's CPU time to ours, photo by photo."""
    rows = [(photo.row(name), photo.row("Tintype")) for photo in photos]
    return [theirs.milliseconds / ours.milliseconds for theirs, ours in rows if theirs and not theirs.failure]


def plot(results):
    """Draws bars of CPU time, ours first, as SVG that is readable on light and dark pages."""
    names = [row.name for row in results[0].rows]
    works = by_work(results)
    bar, gap, left, width = 14, 14, 120, 720
    longest = max(max(ratios_of(photos, name), default=1) for photos in works.values() for name in names)
    scale = (width - left - 90) / min(longest, 12)
    colors = ["#c2410c", "#1d4ed8", "#3b82f6", "#93c5fd", "#15803d", "#a16207", "#6b7280"]
    parts, y = [], 30
    for work, photos in works.items():
        parts.append(f'<text x="0" y="{y + 11}" font-weight="600">{html.escape(work)}</text>')
        y += bar + 2
        for name, color in zip(names, colors):
            ratios = [1.0] if name == "Tintype" else ratios_of(photos, name)
            if not ratios:
                continue
            ratio = statistics.geometric_mean(ratios)
            length = min(ratio, 12) * scale
            parts.append(f'<text x="{left - 6}" y="{y + 11}" text-anchor="end">{html.escape(name)}</text>'
                         f'<rect x="{left}" y="{y + 1}" width="{length:.0f}" height="{bar - 2}" fill="{color}"/>'
                         f'<text x="{left + length + 5:.0f}" y="{y + 11}">{"… " if ratio > 12 else ""}{ratio:.2f}</text>')
            y += bar
        y += gap
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {y}" font-family="sans-serif" font-size="11">'
            f'<rect width="{width}" height="{y}" fill="#fff"/>'
            f'<text x="0" y="14">CPU time, Tintype = 1 (less is better)</text>{"".join(parts)}</svg>\n')
