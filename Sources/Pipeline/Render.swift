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
            return try await onFileThread { try Self.write(image, number: number, of: record, to: blobs) }
        } catch let error as IsolationError where error.isPoison {
            try await rememberPoison(photo, error)
            throw PipelineError(error, about: photo.originalName)
        } catch let error as ImageError {
            throw PipelineError(error, about: photo.originalName)
        }
    }

    private static func write(
        _ image: RenderedImage, number: Int, of record: UploadRecord, to blobs: LocalBlobStore
    ) throws -> PhotoRecord {
        var files: [(name: BlobName, bytes: [UInt8])] = []
        var renditions: [String: PhotoRecord.Rendition] = [:]
        for rendition in image.renditions {
            let name = RenditionName(rendition.recipe, number: number).fileName(rendition.format)
            files.append((try record.blobName(name), rendition.bytes))
            renditions[rendition.recipe.name] = PhotoRecord.Rendition(
                fileName: name, width: rendition.size.width, height: rendition.size.height,
                byteCount: rendition.bytes.count, contentType: rendition.format.contentType)
        }
        try blobs.write(files)
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

/// How the blob of a rendition is called: it carries the recipe's fingerprint, hence another recipe is another file.
struct RenditionName: Sendable {
    private let stem: String

    /// Names the rendition of the photo with that number in its post.
    init(_ recipe: Recipe, number: Int) {
        let suffix = number == 0 ? "" : "-\(number + 1)"
        stem = "\(recipe.name)\(suffix)-\(recipe.fingerprint)"
    }

    func fileName(_ format: ImageFormat) -> String { "\(stem).\(format.fileExtension)" }

    /// All that it may be called: the format hangs on the photo.
    var candidates: [String] { ImageFormat.allCases.map(fileName) }
}
