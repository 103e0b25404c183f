import API
import Imaging
import Model
import Social
import Store
import Tree
import Uploads

/// The switch of a post to renditions that are made anew: new files first, one update, the old files later.
///
/// It is made while nothing else replaces files of posts (`GarbageList.locks`).
struct RenditionSwitch: Sendable {
    let tools: PostTools
    /// Where the post stands.
    let path: TreePath
    /// What the post's photos are made of; a photo whose treatment is to change is changed here already.
    let record: UploadRecord
    /// The photos as the post has them, and that value.
    let old: [PhotoRecord]
    let value: TreeValue?
    /// The recipes of all photos, before moderation has its say.
    let recipes: [Recipe]
    /// Files that are to be replaced although their recipes are the same.
    var damaged: Set<String> = []

    /// Renders the photos of those numbers, counted from 0 in the post, and has the post name the results.
    ///
    /// - Parameters:
    ///   - isAtOnce: Whether the replaced files are not to be seen any more.
    ///   - add: Adds what belongs into the same update; it is told the entry of the garbage list that has the replaced files.
    /// - Returns: False, and nothing has changed, when the post's photos changed meanwhile.
    func run(
        _ numbers: Set<Int>, priority: RenderScheduler.Priority, isAtOnce: Bool = false,
        add: (inout MultiPathUpdate, _ garbage: TreePath?) throws -> Void = { _, _ in }
    ) async throws -> Bool {
        let start = try await begin(numbers)
        let (renewed, files) = try await render(numbers, priority: priority, start)
        var update = MultiPathUpdate(preconditions: [.equals(path / "photos", value)])
        for (path, line) in files { update[path] = line }
        // To those whom the post mentions other renditions are no news.
        update.scope = .repair
        if record.purpose == .object {
            try await addObject(renewed, to: &update)
        } else {
            let fields = try PostPhotos(renewed).fields(
                owner: record.owner, post: record.id, at: tools.publicBase)
            for (name, value) in fields { update[path / name] = value }
        }
        let replaced = try await replaced(by: renewed, andAllOthers: isAtOnce)
        let garbage = try tools.garbage.add(replaced, to: &update, isAtOnce: isAtOnce)
        try end(start, showing: renewed, besides: replaced, in: &update)
        try add(&update, garbage)
        return try await tools.tree.commit(update, at: "switch")
    }

    /// Renders the photos of those numbers, and keeps the results for a later switch: the post stays as it is.
    ///
    /// - Returns: False, and nothing is kept, when the post has gone meanwhile.
    func prepare(_ numbers: Set<Int>, for rethumbRun: RethumbRun) async throws -> Bool {
        let start = try await begin(numbers)
        let (renewed, files) = try await render(numbers, priority: .batch, start)
        let fields = try PostPhotos(renewed).fields(
            owner: record.owner, post: record.id, at: tools.publicBase)
        guard let photos = fields["photos"], let id = path.lastKey.flatMap({ PostID($0.string) }) else { return false }
        var update = MultiPathUpdate(preconditions: [.exists(UploadNodes.upload(record.id))])
        for (path, line) in files { update[path] = line }
        rethumbRun.keep(photos, of: id, in: &update)
        try end(start, showing: renewed, besides: [], in: &update)
        return try await tools.tree.commit(update, at: "prepared")
    }

    /// The photos, those of these numbers rendered anew, and what the upload's record is to say of their files.
    private func render(
        _ numbers: Set<Int>, priority: RenderScheduler.Priority, _ start: Start
    ) async throws -> (photos: [PhotoRecord], files: [TreePath: TreeValue]) {
        var (renewed, files): ([PhotoRecord], [TreePath: TreeValue]) = ([], [:])
        for (index, (number, photo)) in zip(record.photoNumbers, record.orderedPhotos).enumerated() {
            guard numbers.contains(index), let hand = start.hands[index] else {
                renewed.append(old[index])
                continue
            }
            let made = try await tools.renditions.render(
                photo, number: number, of: record, priority: priority, by: recipes, attempt: start.attempt, with: hand)
            guard var rendered = made.rendered else { continue }
            rendered.alt = old[index].alt  // A client may have written it since.
            renewed.append(rendered)
            for (name, file) in made.files where photo.files[name] == nil {
                files[UploadNodes.photo(number, of: record.id) / "files" / (try RenditionFile.key(name))] = file.value
            }
        }
        return (renewed, files)
    }

    /// What changes of a client's post: the upload keeps what the post has, for others that name the same object.
    private func addObject(_ renewed: [PhotoRecord], to update: inout MultiPathUpdate) async throws {
        var record = record
        for (number, photo) in zip(record.photoNumbers, renewed) {
            record.photos[number]?.rendered = photo
            record.photos[number]?.alt = photo.alt
            update[UploadNodes.photo(number, of: record.id) / "rendered"] = try photo.value(
                owner: record.owner, post: record.id)
        }
        guard let id = path.lastKey.flatMap({ PostID($0.string) }) else { return }
        let fields = try await tools.tree.snapshot { [record] snapshot in
            try ObjectPosts.fields(ofPost: id, with: record, at: tools.publicBase, in: snapshot)
        }
        for (field, value) in fields { update[field] = value }
    }

    /// The files that are not shown any more.
    ///
    /// - Parameter areOthers: Whether those of earlier switches are among them, which wait for the end of their grace period.
    private func replaced(by new: [PhotoRecord], andAllOthers areOthers: Bool) async throws -> [BlobName] {
        let kept = Set(new.flatMap { $0.renditions.values.map(\.fileName) })
        // A client may have written other names there than ours; an original is none of them.
        let originals = record.photos.values.map(\.fileName)
        var replaced = Set(old.flatMap { $0.renditions.values.map(\.fileName) })
        if areOthers {
            replaced.formUnion(
                try await tools.blobs.fileNames(
                    userID: record.owner.description, postID: record.id.description))
        }
        return replaced.subtracting(kept).subtracting(originals).sorted().compactMap { try? record.blobName($0) }
    }
}

/// Somebody has changed a post's photos while a job was about to: what is to be done is decided anew.
struct PostChanged: Error {}
