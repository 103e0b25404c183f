package import API
import Cryptography
import Files
import Foundation
package import Imaging
import Isolation
import Model
package import Store
package import TreeModel

/// Renders photos: reads an original, writes its renditions to the blob store, and returns their description.
package struct RenditionMaker: Sendable {
    let blobs: any BlobStore
    let scheduler: RenderScheduler
    let poison: PoisonList
    let settings: SharedSettings
    let disk: DiskMonitor
    let recipes: RecipeBook
    let clock: @Sendable () -> Timestamp

    package init(
        blobs: any BlobStore, scheduler: RenderScheduler, poison: PoisonList, settings: SharedSettings,
        disk: DiskMonitor, recipes: RecipeBook, clock: @escaping @Sendable () -> Timestamp
    ) {
        self.blobs = blobs
        self.scheduler = scheduler
        self.poison = poison
        self.settings = settings
        self.disk = disk
        self.recipes = recipes
        self.clock = clock
    }

    /// Renders the photos of an upload that have no renditions yet. All files are durable on return.
    ///
    /// - Throws: `Failure`: the decoder's refusal of a photo, or a transient error of the disk.
    func render(_ record: UploadRecord) async throws -> UploadRecord {
        var record = record
        for (number, photo) in record.photos where photo.rendered == nil {
            record.photos[number] = try await render(photo, number: number, of: record, priority: .queued)
        }
        return record
    }

    /// Renders one photo by the current recipes, or an avatar by its own recipe; blurred if moderation requires it. If
    /// all renditions exist, nothing is decoded.
    ///
    /// - Parameters:
    ///   - recipes: The recipes; nil for the current ones.
    ///   - attempt: The attempt, which distinguishes its files from those of all other attempts.
    ///   - hand: The existing renditions, which are not encoded again if the recipe is the same.
    /// - Returns: The photo with these renditions, and with the records of their files in addition to those of others.
    package func render(
        _ photo: UploadRecord.Photo, number: Int, of record: UploadRecord, priority: RenderScheduler.Priority,
        by recipes: [Recipe]? = nil, attempt: RenditionAttempt = RenditionAttempt(),
        with hand: ExistingRenditions = ExistingRenditions()
    ) async throws -> UploadRecord.Photo {
        let settings = settings.value
        var recipes = photo.treated(recipes ?? settings.recipes)
        if record.purpose != .avatar, let known = hand.photo(of: recipes, isBlurred: photo.isBlurred) {
            return try await keep(RenditionSet(known, recipes, number, attempt), of: photo, of: record, with: hand)
        }
        if photo.droppedAt != nil { throw Failure.originalDropped(photo) }
        try await poison.refuse(photo)
        do {
            func image(by recipes: [Recipe]) async throws -> RenderedImage {
                let missing = recipes.filter { !hand.has($0, among: recipes) }
                return try await scheduler.render(
                    recipes: missing, beside: recipes.filter { !missing.contains($0) }, limits: settings.limits,
                    priority: priority, for: record.owner.description, of: (record.id.string, photo.byteCount)
                ) { try await original(photo, of: record) }
            }
            if record.purpose == .avatar { recipes = photo.treated([.avatar()]) }
            var rendered = try await image(by: recipes)
            if record.purpose == .avatar, rendered.renditions.contains(where: { $0.size.width != $0.size.height }) {
                // Images are never enlarged: if an image does not cover the square, the square is smaller.
                recipes = photo.treated([.avatar(of: rendered.header.size)])
                rendered = try await image(by: recipes)
            }
            try await self.recipes.note(recipes)
            return try await keep(RenditionSet(rendered, recipes, number, attempt), of: photo, of: record, with: hand)
        } catch let error as IsolationError where error.isPoison {
            try await poison.remember(photo, error)
            throw Failure(error, about: photo.originalName)
        } catch let error as ImageError {
            throw Failure(error, about: photo.originalName)
        } catch let error as Failure where error.code == .originalMissing {
            // If all originals are missing, the disk is at fault, not this upload.
            _ = await disk.report()
            throw disk.gate.pause.map { Failure($0) } ?? error
        }
    }

    private func keep(
        _ made: RenditionSet, of photo: UploadRecord.Photo, of record: UploadRecord, with hand: ExistingRenditions
    ) async throws -> UploadRecord.Photo {
        var (photo, renditions) = (photo, [String: PhotoRecord.Rendition]())
        var files: [(name: BlobName, bytes: [UInt8])] = []
        for recipe in made.recipes {
            let name = RenditionName(recipe, among: made.recipes, number: made.number, attempt: made.attempt)
            if let old = hand.shown[recipe.name], name.hasFingerprint(of: old.fileName) {
                renditions[recipe.name] = old
                continue
            }
            let bytes: [UInt8]
            let rendition: PhotoRecord.Rendition
            if let finished = hand.finished[recipe.name], name.hasFingerprint(of: finished.rendition.fileName) {
                (bytes, rendition) = (finished.bytes, finished.rendition)
            } else if let new = made.renditions[recipe.name] {
                bytes = new.bytes
                rendition = PhotoRecord.Rendition(
                    fileName: name.fileName(new.format), width: new.size.width, height: new.size.height,
                    byteCount: new.bytes.count, contentType: new.format.contentType)
            } else {
                continue
            }
            files.append((try record.blobName(rendition.fileName), bytes))
            renditions[recipe.name] = rendition
            photo.files[rendition.fileName] = RenditionFile(
                sha256: sha256(of: bytes), byteCount: bytes.count, recipe: name.fingerprint,
                engine: settings.value.decoderVersion, source: photo.fileSHA256, madeAt: clock())
        }
        try await keep(files)
        photo.rendered = made.photo(showing: renditions)
        photo.rendered?.isBlurred = photo.isBlurred
        return photo
    }

    /// Writes the files of an attempt: all of them, or none. If all were written, they are durable.
    private func keep(_ files: [(name: BlobName, bytes: [UInt8])]) async throws {
        guard !files.isEmpty else { return }
        do {
            try await blobs.put(files)
        } catch {
            // If the disk is full, the next attempt needs the space.
            try? await blobs.remove(files.map(\.name))
            throw error
        }
    }

    private func original(_ photo: UploadRecord.Photo, of record: UploadRecord) async throws -> FileReader {
        do throws(FileError) {
            return try await blobs.open(record.blobName(photo.fileName))
        } catch {
            guard error.code == .notFound else { throw error }
            throw Failure(
                .originalMissing, "the original of \(photo.originalName) is missing from the blob store",
                hint: "Restore blobs/\(record.owner)/\(record.id)/\(photo.fileName) from a backup.")
        }
    }
}

extension Failure {
    /// The failure to render a photo whose original was dropped by a rule.
    package static func originalDropped(_ photo: UploadRecord.Photo) -> Failure {
        Failure(
            .originalDropped, "the original of \(photo.originalName) was dropped by the rule for originals",
            hint: "Use the existing renditions: the photo cannot be rendered again.")
    }
}

extension UploadRecord.Photo {
    /// Returns recipes as moderation requires them for this photo.
    package func treated(_ recipes: [Recipe]) -> [Recipe] { isBlurred ? recipes.map(\.blurred) : recipes }
}
