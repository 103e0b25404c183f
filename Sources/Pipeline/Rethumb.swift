import API
import Imaging
package import Posts
import Tree

/// The batch job that gives posts the renditions of the current recipes.
///
/// Post by post: the missing renditions are written under new names, one multi-path update switches the post to them and
/// puts the old blobs on the garbage list, from which they go after the grace period. A reader therefore always finds
/// what a post says. A post whose renditions are those of the recipes, at the address by which the service is known, needs
/// nothing; one that names them at another address is only written anew.
package struct Rethumb: PostJob {
    package let service: UploadService
    private let selection: Selection
    private let isDryRun: Bool
    /// What the run makes, so that it can be taken back; nil for a run that keeps nothing.
    private let generation: Generation?

    package init(_ service: UploadService, selection: Selection, isDryRun: Bool) {
        self.init(service, selection: selection, isDryRun: isDryRun, generation: nil)
    }

    init(_ service: UploadService, selection: Selection, isDryRun: Bool = false, generation: Generation?) {
        self.service = service
        self.selection = selection
        self.isDryRun = isDryRun
        self.generation = generation
    }

    package var isLook: Bool { isDryRun }

    package func note(_ progress: PostJobProgress?) {
        if !isDryRun { service.rethumbProgress.value = progress }
    }

    package func postIDs() async throws -> [PostID] {
        let ids = try await service.tree.postIDs(of: selection.user)
        guard let since = selection.since else { return ids }
        return ids.filter { $0.timestampMilliseconds >= since }
    }

    /// Gives one post its renditions; false when it has them, or no photos, or vanished.
    package func change(_ id: PostID) async throws -> Bool {
        guard let path = try await service.tree.snapshot({ try $0.path(ofPost: id) }),
            let post = try await service.tree.get(path)
        else { return false }
        guard let old = PostPhotos.read(post) else {
            throw Failure(
                .unreadable, "what the post says of its photos cannot be read",
                hint: "a client of the database wrote it; mend it there")
        }
        guard let record = try await service.tree.snapshot({ try $0.upload(behindPost: id) }),
            record.photos.count == old.count
        else {
            return false
        }
        let photos = zip(record.orderedPhotos, old).enumerated()
        let numbers = Set(photos.filter { needsWork($1.1, of: $1.0) }.map(\.offset))
        let isMoved = !selection.onlyMissing && old.first.map { isElsewhere(post, $0, of: record) } ?? false
        guard !numbers.isEmpty || isMoved else { return false }
        guard !isDryRun else { return true }
        let change = RenditionSwitch(service: service, path: path, record: record, old: old, value: post["photos"])
        // What clients' posts show of the bucket is switched post by post, and not taken back: others show the same.
        guard let generation, record.purpose != .object else { return try await change.run(numbers, priority: .batch) }
        guard !generation.switchesLast else {
            // It may be there from before a stop.
            if case .after? = try await generation.entry(of: id, in: service.tree) { return false }
            try await change.prepare(numbers, for: generation)
            return true
        }
        return try await change.run(numbers, priority: .batch) { update in
            generation.noteSwitch(of: id, from: post["photos"], in: &update)
        }
    }

    /// Whether a post names its photos at another address than that by which the service is known today.
    private func isElsewhere(_ post: TreeValue, _ photo: PhotoRecord, of record: UploadRecord) -> Bool {
        guard let (name, rendition) = photo.renditions.first else { return false }
        let url = MediaAddress.url(record.owner, record.id, rendition.fileName, at: service.storage.mediaPlace)
        let written = post["photos"]?["0"]?["renditions"]?[TreeKey(unchecked: name)]?["url"]
        return written?.stringValue != url
    }

    private func needsWork(_ photo: PhotoRecord, of original: UploadRecord.Photo) -> Bool {
        let recipes = service.settings.recipes(for: original)
        if selection.onlyMissing { return recipes.contains { photo.renditions[$0.name] == nil } }
        return photo.renditions.count != recipes.count
            || recipes.contains { recipe in
                guard let rendition = photo.renditions[recipe.name] else { return true }
                return !rendition.fileName.contains("-\(recipe.fingerprint(among: recipes)).")
            }
    }
}
