import API
import Blobs
import Imaging
package import Posts
import Tree

/// The batch job that gives posts the renditions of the current recipes.
///
/// Post by post: the missing renditions are written under new names, one multi-path update switches the post to them and
/// puts the old blobs on the garbage list, from which they go after the grace period. A reader therefore always finds
/// what a post says. A post whose renditions are those of the recipes needs nothing.
package struct Rethumb: PostJob {
    package let service: UploadService
    private let selection: Selection
    private let isDryRun: Bool

    package init(_ service: UploadService, selection: Selection, isDryRun: Bool) {
        self.service = service
        self.selection = selection
        self.isDryRun = isDryRun
    }

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
        guard old.contains(where: needsWork), let record = try await service.store.record(of: id),
            record.photos.count == old.count
        else { return false }
        if isDryRun { return true }
        let announcement = try await announce(old, of: record)
        var renewed: [PhotoRecord] = []
        for ((number, photo), oldPhoto) in zip(record.photos.sorted(by: { $0.key < $1.key }), old) {
            guard needsWork(oldPhoto) else {
                renewed.append(oldPhoto)
                continue
            }
            var rendered = try await service.renditions.render(
                photo, number: number, of: record, priority: .batch)
            rendered.alt = oldPhoto.alt  // A client may have written it since.
            renewed.append(rendered)
        }
        return try await switchOver(
            path, id, owner: record, from: (post["photos"], old), to: renewed, announcement: announcement)
    }

    /// Lists the files that are about to be made as garbage, for the case that the switch to them never comes.
    private func announce(_ photos: [PhotoRecord], of record: UploadRecord) async throws -> TreePath? {
        var names: [BlobName] = []
        for (number, photo) in zip(record.photos.keys.sorted(), photos) where needsWork(photo) {
            for recipe in service.settings.recipes {
                names += try RenditionName(recipe, among: service.settings.recipes, number: number).candidates.map {
                    try record.blobName($0)
                }
            }
        }
        var update = MultiPathUpdate()
        let path = try service.garbage.add(names, to: &update)
        try await service.tree.update(update)
        return path
    }

    private func needsWork(_ photo: PhotoRecord) -> Bool {
        let recipes = service.settings.recipes
        if selection.onlyMissing { return recipes.contains { photo.renditions[$0.name] == nil } }
        return photo.renditions.count != recipes.count
            || recipes.contains { recipe in
                guard let rendition = photo.renditions[recipe.name] else { return true }
                return !rendition.fileName.contains("-\(recipe.fingerprint(among: recipes)).")
            }
    }

    /// One multi-path update, refused when the post's photos changed since they were read.
    private func switchOver(
        _ path: TreePath, _ id: PostID, owner record: UploadRecord,
        from old: (value: TreeValue?, photos: [PhotoRecord]),
        to new: [PhotoRecord], announcement: TreePath?
    ) async throws -> Bool {
        var update = MultiPathUpdate(preconditions: [.equals(path / "photos", old.value)])
        for (name, value) in try PostPhotos(new).fields(owner: record.owner, post: id) {
            update[path / name] = value
        }
        let kept = Set(new.flatMap { $0.renditions.values.map(\.fileName) })
        // A client may have written other names there than ours; an original is none of them.
        let originals = record.photos.values.map(\.fileName)
        let replaced = Set(old.photos.flatMap { $0.renditions.values.map(\.fileName) }).subtracting(kept)
            .subtracting(originals)
        try service.garbage.add(replaced.sorted().compactMap { try? record.blobName($0) }, to: &update)
        if let announcement { update[announcement] = nil }
        return try await service.tree.commit(update, at: "switch")
    }
}
