import API
import Blobs
import Files
import Foundation
import Imaging
import Isolation
import Posts
import TreeModel

/// Makes the renditions of photos: original in, files in the blob store and their description out.
package struct RenditionMaker: Sendable {
    let blobs: any BlobStore
    let scheduler: RenderScheduler
    let poison: PoisonList
    let settings: SharedSettings
    let disk: DiskMonitor

    /// Makes the renditions that the upload's photos still lack. Every file is durable when it returns; doing it again after
    /// a crash writes the same names.
    ///
    /// - Throws: `Failure`: the decoder's refusal of a photo, or a transient error of the disk.
    func render(_ record: UploadRecord) async throws -> UploadRecord {
        var record = record
        for (number, photo) in record.photos where photo.rendered == nil {
            let rendered = try await render(photo, number: number, of: record, priority: .queued)
            record.photos[number]?.rendered = rendered
        }
        return record
    }

    /// Renders one photo by the present recipes, or an avatar by its own; blurred, where moderation decided so.
    func render(
        _ photo: UploadRecord.Photo, number: Int, of record: UploadRecord, priority: RenderScheduler.Priority
    ) async throws -> PhotoRecord {
        try await poison.refuse(photo)
        let settings = settings.value
        do {
            func image(by recipes: [Recipe]) async throws -> RenderedImage {
                try await scheduler.render(
                    recipes: recipes, limits: settings.limits, priority: priority, for: record.owner.description,
                    of: (record.id.string, photo.byteCount)
                ) { try await original(photo, of: record) }
            }
            var recipes = settings.recipes(for: photo)
            if record.purpose == .avatar { recipes = photo.treated([.avatar()]) }
            var rendered = try await image(by: recipes)
            if record.purpose == .avatar, rendered.renditions.contains(where: { $0.size.width != $0.size.height }) {
                // Nothing is enlarged: of an image that does not cover the square, the square is a smaller one.
                recipes = photo.treated([.avatar(of: rendered.header.size)])
                rendered = try await image(by: recipes)
            }
            var written = try await keep(rendered, by: recipes, number: number, of: record)
            written.isBlurred = photo.isBlurred
            return written
        } catch let error as IsolationError where error.isPoison {
            try await poison.remember(photo, error)
            throw Failure(error, about: photo.originalName)
        } catch let error as ImageError {
            throw Failure(error, about: photo.originalName)
        } catch let error as Failure where error.code == .originalMissing {
            // When all originals are gone, that is everybody's trouble, and no failure of this upload.
            _ = await disk.report()
            throw disk.gate.pause.map { Failure($0) } ?? error
        }
    }

    private func keep(
        _ image: RenderedImage, by recipes: [Recipe], number: Int, of record: UploadRecord
    ) async throws -> PhotoRecord {
        let files = try image.renditions.map { rendition in
            let name = RenditionName(rendition.recipe, among: recipes, number: number).fileName(rendition.format)
            return (name: try record.blobName(name), bytes: rendition.bytes)
        }
        let byteCounts = try await blobs.write(files)
        var renditions: [String: PhotoRecord.Rendition] = [:]
        for (rendition, (file, byteCount)) in zip(image.renditions, zip(files, byteCounts)) {
            renditions[rendition.recipe.name] = PhotoRecord.Rendition(
                fileName: file.name.fileName, width: rendition.size.width, height: rendition.size.height,
                byteCount: byteCount, contentType: rendition.format.contentType)
        }
        return PhotoRecord(
            width: image.header.size.width, height: image.header.size.height,
            placeholder: Data(image.placeholder).base64EncodedString(), color: image.color.description,
            warnings: image.warnings.map(\.rawValue), renditions: renditions)
    }

    private func original(_ photo: UploadRecord.Photo, of record: UploadRecord) async throws -> FileReader {
        do throws(FileError) {
            return try await blobs.open(record.blobName(photo.fileName))
        } catch {
            guard error.code == .notFound else { throw error }
            throw Failure(
                .originalMissing, "the original of \(photo.originalName) is gone from the blob store",
                hint: "restore blobs/\(record.owner)/\(record.id)/\(photo.fileName) from a backup")
        }
    }
}

extension PipelineSettings {
    /// The recipes by which a photo of a post is rendered.
    func recipes(for photo: UploadRecord.Photo) -> [Recipe] { photo.treated(recipes) }
}

extension UploadRecord.Photo {
    /// Recipes as moderation wants them for this photo.
    fileprivate func treated(_ recipes: [Recipe]) -> [Recipe] { isBlurred ? recipes.map(\.blurred) : recipes }
}

/// The name of a rendition's blob. It carries the fingerprint of its recipe among those that it is rendered with: a
/// rendition that would have other bytes has another name.
struct RenditionName: Sendable {
    private let stem: String

    /// Names the rendition of the photo with that number in its post.
    init(_ recipe: Recipe, among recipes: [Recipe], number: Int) {
        let suffix = number == 0 ? "" : "-\(number + 1)"
        stem = "\(recipe.name)\(suffix)-\(recipe.fingerprint(among: recipes))"
    }

    func fileName(_ format: ImageFormat) -> String { "\(stem).\(format.fileExtension)" }

    /// All names that it may have: which format a rendition gets depends on the photo.
    var candidates: [String] { ImageFormat.allCases.map(fileName) }
}
