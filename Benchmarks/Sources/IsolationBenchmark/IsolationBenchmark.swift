import Foundation
import Imaging
import Isolation

/// Measures the cost of rendering a photo in a separate process. Both ways take turns, so that other work of the
/// machine affects both alike.
@main
struct IsolationBenchmark {
    static func main() throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        if arguments == ["worker"] { RenderWorker.run() }
        let (rounds, paths) = (arguments.first.flatMap { Int($0) } ?? 0, arguments.dropFirst())
        guard rounds > 0, !paths.isEmpty else {
            print("usage: IsolationBenchmark ROUNDS PHOTO…")
            exit(2)
        }
        let renderer = try IsolatedRenderer(.this(arguments: ["worker"]))
        print("photo                           MP        in process      isolated    difference (medians)")
        for path in paths { try measure(try Photo(path: path), rounds: rounds, renderer) }
    }

    private static func measure(_ photo: Photo, rounds: Int, _ renderer: IsolatedRenderer) throws {
        var pairs: [(here: Cost, there: Cost)] = []
        for round in 0...rounds {
            let isHereFirst = round.isMultiple(of: 2)
            var here = Cost()
            if isHereFirst { here = try Cost(of: photo.render) }
            let there = try Cost(of: { try photo.render(by: renderer) })
            if !isHereFirst { here = try Cost(of: photo.render) }
            // The first round fills caches.
            if round > 0 { pairs.append((here, there)) }
        }
        report(photo, "clock", pairs.map { ($0.here.clockMilliseconds, $0.there.clockMilliseconds) })
        report(photo, "CPU", pairs.map { ($0.here.cpuMilliseconds, $0.there.cpuMilliseconds) })
    }

    private static func report(_ photo: Photo, _ what: String, _ pairs: [(here: Double, there: Double)]) {
        let (here, difference) = (median(pairs.map(\.here)), median(pairs.map { $0.there - $0.here }))
        let name = photo.name.padding(toLength: 28, withPad: " ", startingAt: 0)
        let figures = String(
            format: "%6.1f %10.2f ms %10.2f ms %+9.2f ms %+5.1f %%", photo.megapixels, here,
            median(pairs.map(\.there)), difference, difference / here * 100)
        print(name, figures, what)
    }

    private static func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }
}
