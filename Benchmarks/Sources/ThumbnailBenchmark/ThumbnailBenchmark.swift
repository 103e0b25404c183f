import Foundation
import Imaging

/// Renders photos on request, in a process that stays: see `compare-thumbnails` beside this package.
///
/// Prints `ready` first. Each input line is a job: the name of a set of recipes, a path, and optionally a folder for
/// the renditions, separated by tabs. Each output line answers a job: the CPU time in milliseconds (user and system,
/// all threads), and the sizes of the renditions in bytes; or `!` and the reason for the failure.
@main
struct ThumbnailBenchmark {
    static func main() throws {
        report("ready")
        while let line = readLine() {
            let fields = line.split(separator: "\t").map(String.init)
            guard fields.count >= 2 else { throw Misuse(line: line) }
            let start = cpuMilliseconds()
            let renditions: [Rendition]
            do {
                renditions = try render(path: fields[1], recipes: try recipes(fields[0]))
            } catch {
                report("!\(error)")
                continue
            }
            let spent = cpuMilliseconds() - start
            if fields.count > 2 { try write(renditions, to: URL(filePath: fields[2])) }
            report(([String(spent)] + renditions.map { String($0.bytes.count) }).joined(separator: "\t"))
        }
    }

    struct Misuse: Error {
        let line: String
    }

    private static func recipes(_ set: String) throws -> [Recipe] {
        let texts =
            set == "four"
            ? ["1280=1280,q80", "640=640,q80", "320=320,q80", "150=150,cover,q80"] : ["\(set)=\(set),q80"]
        return try texts.map { try Recipe(parsing: $0) }
    }

    private static func render(path: String, recipes: [Recipe]) throws -> [Rendition] {
        let bytes = try Data(contentsOf: URL(filePath: path), options: .alwaysMapped)
        return try Renderer().render(bytes.span, recipes: recipes).renditions
    }

    private static func write(_ renditions: [Rendition], to folder: URL) throws {
        for rendition in renditions {
            try Data(rendition.bytes).write(to: folder.appending(path: rendition.recipe.name + ".jpg"))
        }
    }

    private static func report(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

    private static func cpuMilliseconds() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1000 + Double(time.tv_nsec) / 1_000_000
    }
}
