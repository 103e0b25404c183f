import CoreMetrics
import Files
import Imaging
import Isolation
import Metering

/// The metrics of the renderer.
struct RenderMetrics: Sendable {
    private enum Outcome: String {
        case done
        /// The photo can never be rendered.
        case refused
        /// The photo may be rendered later.
        case interrupted
    }

    private struct Labels: MetricLabels {
        let format: ImageFormat?
        let isIsolated: Bool
        let outcome: Outcome

        var pairs: [(String, String)] {
            [
                ("format", format?.rawValue ?? "other"), ("renderer", isIsolated ? "worker" : "in-process"),
                ("outcome", outcome.rawValue),
            ]
        }
    }

    private let seconds: MetricFamily<Labels, Timer>
    private let waits: MetricFamily<RenderScheduler.Priority, Timer>

    init(_ factory: any MetricsFactory) {
        seconds = factory.timers(
            "tintype_render_seconds", "Time in which a photo was decoded and its renditions were made.",
            by: Labels.self)
        waits = factory.timers(
            "tintype_render_wait_seconds", "Time that a photo waited for its turn to be rendered.",
            by: RenderScheduler.Priority.self)
    }

    /// Records the time that a photo has waited for its turn.
    func endWait(_ priority: RenderScheduler.Priority, since start: ContinuousClock.Instant) {
        waits[priority].record(since: start)
    }

    /// Renders a photo, and records how long it took. Blocks.
    ///
    /// - Throws: The renderer's errors.
    func render(
        _ original: FileReader, by renderer: any PhotoRenderer,
        _ body: () throws -> RenderedImage
    ) throws -> RenderedImage {
        let start = ContinuousClock.now
        do {
            let image = try body()
            record(image.header.format, renderer, .done, since: start)
            return image
        } catch {
            let isRefused = error is ImageError || (error as? IsolationError)?.isPoison == true
            let format = (try? original.read(at: 0, maxBytes: 64)).flatMap { ImageFormat.detect($0.span) }
            record(format, renderer, isRefused ? .refused : .interrupted, since: start)
            throw error
        }
    }

    private func record(
        _ format: ImageFormat?, _ renderer: any PhotoRenderer, _ outcome: Outcome, since start: ContinuousClock.Instant
    ) {
        seconds[Labels(format: format, isIsolated: renderer.isIsolated, outcome: outcome)].record(since: start)
    }
}

extension RenderScheduler.Priority: MetricLabels {
    package var pairs: [(String, String)] { [("priority", "\(self)")] }
}
