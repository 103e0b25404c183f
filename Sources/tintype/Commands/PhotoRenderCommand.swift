import ArgumentParser
import Concurrency
import Files
import Foundation
import Imaging
import Tree
import Uploads

/// Renders thumbnails of files without a service.
struct PhotoRenderCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "render",
        abstract: "Render thumbnails of files; no service needed.",
        usage: "tintype photo render <file> ... --out <dir> [<options>]",
        discussion: """
            A thumbnail is named NAME-RECIPE.jpg, where NAME is the name of its source. The name ends in .png, .webp or \
            .avif if the recipe requests that format, and in .png if alpha is kept. With --json, one line is printed for \
            each file: path, outcome ("ok" or "refused"), code and message, upright width and height, the mean colour, \
            renditions, and warnings if there are any. A rejected file does not stop the others; the exit code is then 3.

            RECIPES
              NAME=SIZE[,inside|cover][,qN][,alpha][,background=#rrggbb]
                [,progressive|webp[,animated]|png|avif][,subsampling=444|420][,blurred]
              SIZE is the box in pixels: WIDTHxHEIGHT, or the side of a square.

            EXAMPLES
              tintype photo render photo.jpg --out thumbnails
              tintype photo render *.jpg --out thumbnails --recipe thumb=320,q80 --json
              tintype photo render logo.png --out . --recipe icon=64,alpha
            """)

    @Argument(help: ArgumentHelp("The photos.", valueName: "file"))
    var files: [String]

    @Option(help: ArgumentHelp("The folder for the thumbnails; created if it does not exist.", valueName: "dir"))
    var out: String

    @Option(
        help: ArgumentHelp(
            "A thumbnail to render, such as thumb=320,q80; may be repeated (default: the service's recipes).",
            valueName: "recipe"))
    var recipe: [String] = []

    @Option(help: ArgumentHelp("The number of files that are rendered at the same time.", valueName: "n"))
    var concurrency = ProcessInfo.processInfo.activeProcessorCount

    @Flag(help: "Also render files whose data ends too early, with a warning, however much is missing.")
    var tolerant = false

    @Flag(help: "Print one JSON document for each file.")
    var json = false

    func validate() throws {
        guard (1...64).contains(concurrency) else { throw ValidationError("--concurrency must be from 1 to 64") }
        _ = try recipes()
    }

    func run() async throws {
        let recipes = try recipes()
        // If the folder cannot be created, opening it reports the error.
        let above = URL(fileURLWithPath: out).deletingLastPathComponent()
        try? FileManager.default.createDirectory(at: above, withIntermediateDirectories: true)
        let folder = try Directory(path: out, create: true)
        var limits = try StorageOptions.parse([]).configuration().imageLimits()
        if tolerant { limits.acceptsTruncated = true }
        // Files get the usual mode. The mask can only be read by setting it, and there is only one thread so far.
        let mask = umask(0o022)
        umask(mask)
        let scheduler = RenderScheduler(InProcessRenderer(), workers: concurrency)
        let jobs = RenderJob.jobs(files, recipes: recipes, limits: limits, folder: folder, mode: 0o666 & ~mask)
        var progress = ProgressBar("photos")
        var (done, refused) = (0, 0)
        try await forEachConcurrently(jobs, concurrency: concurrency) { job in
            await job.run(by: scheduler)
        } _: { result in
            done += 1
            if case .refused = result.outcome { refused += 1 }
            report(result)
            if !json { progress.update(done, of: files.count, note: refused > 0 ? "\(refused) refused" : "") }
        }
        progress.finish()
        if refused > 0 { throw ExitStatus.partial }
    }

    private func recipes() throws -> [Recipe] {
        guard !recipe.isEmpty else { return Recipe.defaults }
        let recipes = try recipe.map { text in
            do { return try Recipe(parsing: text) } catch { throw ValidationError("\(error)") }
        }
        guard Set(recipes.map(\.name)).count == recipes.count else {
            throw ValidationError("two recipes have the same name")
        }
        return recipes
    }

    private func report(_ result: RenderJob.Result) {
        if json { return result.outputJSON() }
        switch result.outcome {
        case .refused(let error):
            Terminal.error("\(error)")
        case .ok(let picture, let renditions):
            for warning in picture.warnings { Terminal.error("\(result.path): \(warning.rawValue)") }
            for rendition in renditions { Terminal.output(rendition.path) }
        }
    }
}
