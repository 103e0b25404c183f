import Blobs
import Foundation
import Imaging
import Isolation
import NIOPosix
import Posts

extension UploadPipeline {
    /// Makes the renditions that the upload's photos still lack. Every file is durable when it returns; rendering again
    /// after a crash writes the same names.
    ///
    /// - Throws: `PipelineError`: the decoder's verdict about a photo, or a passing fault of the disk.
    func render(_ record: UploadRecord) async throws -> UploadRecord {
        var record = record
        for (number, photo) in record.photos where photo.rendered == nil {
            let rendered = try await render(photo, number: number, of: record)
            record.photos[number]?.rendered = rendered
        }
        return record
    }

    /// Renders one photo by the current recipes: original in, files and their record out.
    func render(_ photo: UploadRecord.Photo, number: Int, of record: UploadRecord) async throws -> PhotoRecord {
        try await refusePoison(photo)
        let (blobs, renderer, settings) = (storage.blobs, renderer, settings)
        do {
            let image = try await renderThreads.runIfActive {
                let original = try Self.original(photo, of: record, in: blobs)
                return try renderer.render(original, recipes: settings.recipes, limits: settings.limits)
            }
            // Elsewhere: who renders does not wait for the disk.
            return try await onFileThread {
                try Self.write(image, by: settings.recipes, number: number, of: record, to: blobs)
            }
        } catch let error as IsolationError where error.isPoison {
            try await rememberPoison(photo, error)
            throw PipelineError(error, about: photo.originalName)
        } catch let error as ImageError {
            throw PipelineError(error, about: photo.originalName)
        } catch let error as PipelineError where error.code == .originalMissing {
            // Gone with all others: then that is everybody's trouble, and no verdict.
            _ = await watch.report()
            throw intake.pause.map { PipelineError($0) } ?? error
        }
    }

    private static func write(
        _ image: RenderedImage, by recipes: [Recipe], number: Int, of record: UploadRecord, to blobs: LocalBlobStore
    ) throws -> PhotoRecord {
        let files = try image.renditions.map { rendition in
            let name = RenditionName(rendition.recipe, among: recipes, number: number).fileName(rendition.format)
            return (name: try record.blobName(name), bytes: rendition.bytes)
        }
        let byteCounts = try blobs.write(files)
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

    private static func original(
        _ photo: UploadRecord.Photo, of record: UploadRecord, in blobs: LocalBlobStore
    ) throws -> FileReader {
        do {
            return try blobs.open(record.blobName(photo.fileName))
        } catch {
            guard error.code == .notFound else { throw error }
            throw PipelineError(
                .originalMissing, "the original of \(photo.originalName) is gone from the blob store",
                hint: "restore blobs/\(record.owner)/\(record.id)/\(photo.fileName) from a backup")
        }
    }
}

/// How the blob of a rendition is called: it carries the fingerprint of its recipe among those that it is rendered with,
/// hence what would have other bytes is another file.
struct RenditionName: Sendable {
    private let stem: String

    /// Names the rendition of the photo with that number in its post.
    init(_ recipe: Recipe, among recipes: [Recipe], number: Int) {
        let suffix = number == 0 ? "" : "-\(number + 1)"
        stem = "\(recipe.name)\(suffix)-\(recipe.fingerprint(among: recipes))"
    }

    func fileName(_ format: ImageFormat) -> String { "\(stem).\(format.fileExtension)" }

    /// All that it may be called: the format hangs on the photo.
    var candidates: [String] { ImageFormat.allCases.map(fileName) }
}
