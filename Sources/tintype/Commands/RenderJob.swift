import API
import Files
import Foundation
import Imaging
import Uploads

/// The thumbnails of one file.
struct RenderJob: Sendable {
    /// The result for a file.
    struct Result: Sendable {
        struct Thumbnail: Sendable {
            let name: String
            let path: String
            let size: PixelSize
            let byteCount: Int
        }

        enum Outcome: Sendable {
            case ok(RenderedImage, [Thumbnail])
            case refused(Failure)
        }

        let path: String
        let outcome: Outcome
    }

    let index: Int
    let path: String
    /// The beginning of the thumbnails' names, before the recipe's name.
    let stem: String
    let recipes: [Recipe]
    let limits: ImageLimits
    let folder: Directory
    /// The file mode of the thumbnails.
    let mode: UInt32

    /// Returns one job for each file. Sources with the same name (`a/photo.jpg`, `b/photo.png`) get numbers, so that
    /// their thumbnails do not overwrite each other.
    static func jobs(
        _ paths: [String], recipes: [Recipe], limits: ImageLimits, folder: Directory, mode: UInt32
    ) -> [RenderJob] {
        var taken: Set<String> = []
        return paths.enumerated().map { index, path in
            let name = URL(fileURLWithPath: path).deletingPathExtension().lastPathComponent
            let base = String(name.prefix(100))
            var stem = base
            var number = 2
            while !taken.insert(stem).inserted {
                stem = "\(base)-\(number)"
                number += 1
            }
            return RenderJob(
                index: index, path: path, stem: stem, recipes: recipes, limits: limits, folder: folder, mode: mode)
        }
    }

    /// Renders the thumbnails in the file's turn, and writes them.
    func run(by scheduler: RenderScheduler) async -> Result {
        do {
            let image = try await scheduler.render(recipes: recipes, limits: limits, priority: .batch, for: stem) {
                try await FileThreads.run { () throws(FileError) in try FileReader(path: path) }
            }
            let thumbnails = try await FileThreads.run { () throws(FileError) in try write(image) }
            return Result(path: path, outcome: .ok(image, thumbnails))
        } catch {
            return Result(path: path, outcome: .refused(Failure(error, about: path)))
        }
    }

    private func write(_ image: RenderedImage) throws(FileError) -> [Result.Thumbnail] {
        var thumbnails: [Result.Thumbnail] = []
        for rendition in image.renditions {
            let name = "\(stem)-\(rendition.recipe.name).\(rendition.format.fileExtension)"
            try folder.write(rendition.bytes, as: name, mode: mode)
            thumbnails.append(
                Result.Thumbnail(
                    name: rendition.recipe.name, path: "\(folder.path)/\(name)", size: rendition.size,
                    byteCount: rendition.bytes.count))
        }
        return thumbnails
    }
}

extension RenderJob.Result {
    /// Prints the line of `--json`.
    func outputJSON() {
        switch outcome {
        case .refused(let error):
            Terminal.outputJSON(OutcomeDocument(.refused, path: path, failure: error))
        case .ok(let image, let thumbnails):
            let renditions = thumbnails.map { thumbnail in
                let document = RenderDocument.Thumbnail(
                    path: thumbnail.path, width: thumbnail.size.width, height: thumbnail.size.height,
                    bytes: thumbnail.byteCount)
                return (thumbnail.name, document)
            }
            let warnings = image.warnings.map(\.rawValue)
            Terminal.outputJSON(
                RenderDocument(
                    path: path, width: image.header.size.width, height: image.header.size.height,
                    color: image.color.description, renditions: Dictionary(renditions) { $1 },
                    warnings: warnings.isEmpty ? nil : warnings))
        }
    }
}
