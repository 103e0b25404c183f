import API
import Imaging
package import Model
import Tree
import Uploads

/// The batch job that gives posts the renditions of the current recipes.
///
/// The job works post by post: the missing renditions are written under new names, one multi-path update switches the
/// post to them and puts the old blobs on the garbage list, from which they are deleted after the grace period. A
/// reader therefore always finds the files that a post names. A post that has the renditions of the current recipes, at
/// the service's current address, needs no change; a post that names them at another address is only rewritten.
package struct Rethumb: PostRunWork {
    package let tools: PostTools
    private let selection: PostSelection
    private let isDryRun: Bool
    /// The record of the renditions that the run makes, with which the run can be rolled back; nil for a run without
    /// one.
    private let rethumbRun: RethumbRun?
    private let recipes: [Recipe]
    private let garbage = GarbageNames()

    package init(_ tools: PostTools, selection: PostSelection, isDryRun: Bool) {
        self.init(tools, selection: selection, isDryRun: isDryRun, by: nil, rethumbRun: nil)
    }

    /// - Parameter recipes: The recipes of this run; nil for the current ones.
    init(
        _ tools: PostTools, selection: PostSelection, isDryRun: Bool = false, by recipes: [Recipe]?,
        rethumbRun: RethumbRun?
    ) {
        self.tools = tools
        self.recipes = recipes ?? tools.settings.recipes
        self.selection = selection
        self.isDryRun = isDryRun
        self.rethumbRun = rethumbRun
    }

    package var isLook: Bool { isDryRun }

    package func page(after position: PostID?) async throws -> [PostID] {
        if let ids = selection.ids { return ids.filter { id in position.map { $0 < id } ?? true } }
        return try await selection.posts.page(after: position, in: tools.tree)
    }

    package func count() async throws -> Int {
        if let ids = selection.ids { return ids.count }
        return try await selection.posts.count(in: tools.tree)
    }

    /// Gives one post its renditions; returns false if it has them, has no photos, or was deleted.
    package func change(_ id: PostID) async throws -> Bool {
        guard let path = try await tools.tree.snapshot({ try $0.path(ofPost: id) }),
            let post = try await tools.tree.get(path)
        else { return false }
        guard let old = PostPhotos.read(post) else {
            throw Failure(
                .unreadable, "the photos of the post cannot be read",
                hint: "Correct it in the database, where a client wrote it.")
        }
        guard let record = try await tools.tree.snapshot({ try ObjectPosts.upload(behindPost: id, in: $0) }),
            record.photos.count == old.count
        else {
            return false
        }
        // The post may have been rendered or switched before the job was interrupted.
        if let rethumbRun, try await rethumbRun.entry(of: id, in: tools.tree) != nil { return true }
        let (numbers, damaged) = try await photosToRender(of: record, old)
        let isWanted = !selection.onlyMissing && !selection.onlyDamaged
        var isMoved = isWanted && old.first.map { isElsewhere(post, $0, of: record) } ?? false
        if isWanted, !isMoved { isMoved = try await hasOtherThumb(id, of: record) }
        guard !numbers.isEmpty || isMoved else { return false }
        let photos = record.orderedPhotos
        if let dropped = numbers.map({ photos[$0] }).first(where: { $0.droppedAt != nil }) {
            throw Failure.originalDropped(dropped)
        }
        guard !isDryRun else { return true }
        let change = RenditionSwitch(
            tools: tools, path: path, record: record, old: old, value: post["photos"], recipes: recipes,
            damaged: damaged)
        // Clients' posts that show an object of the bucket are switched one by one and cannot be rolled back: others
        // show the same object.
        if let rethumbRun, rethumbRun.switchesLast, record.purpose != .object {
            return try await change.prepare(numbers, for: rethumbRun)
        }
        let isSwitched = try await change.run(numbers, priority: .batch) { update, garbage in
            if record.purpose == .object {
                rethumbRun?.noteEnd(of: id, in: &update)
            } else {
                rethumbRun?.noteSwitch(of: id, from: post["photos"], garbage: garbage, in: &update)
            }
        }
        guard isSwitched else { throw PostChanged() }
        return true
    }

    /// Whether a post names its photos at an address other than the service's current one.
    private func isElsewhere(_ post: TreeValue, _ photo: PhotoRecord, of record: UploadRecord) -> Bool {
        guard let (name, rendition) = photo.renditions.first else { return false }
        let url = MediaAddress.url(record.owner, record.id, rendition.fileName, at: tools.publicBase)
        let written = post["photos"]?["0"]?["renditions"]?[TreeKey(unchecked: name)]?["url"]
        return written?.stringValue != url
    }

    /// Whether a client's post names another thumbnail than the present storage rules require.
    private func hasOtherThumb(_ id: PostID, of record: UploadRecord) async throws -> Bool {
        guard record.purpose == .object else { return false }
        let place = tools.publicBase
        return try await tools.tree.snapshot { snapshot in
            try ClientThumb(snapshot: snapshot, base: place).url(ofPost: id, showing: record) != nil
        }
    }

    /// The numbers of the photos that need renditions, counted from 0 in the post, and the names of the files that must
    /// be replaced whatever their recipes are.
    private func photosToRender(
        of record: UploadRecord, _ old: [PhotoRecord]
    ) async throws -> (numbers: Set<Int>, damaged: Set<String>) {
        guard selection.onlyDamaged else {
            let photos = zip(record.orderedPhotos, old).enumerated()
            return (Set(photos.filter { needsWork($1.1, of: $1.0) }.map(\.offset)), [])
        }
        let inspection = try await FolderInspection(
            of: record.id, owner: record.owner.description, knowing: garbage, in: tools.tree,
            beside: tools.blobs)
        let renders = inspection.renders
        return (Set(renders.map(\.photo)), Set(renders.map(\.file)))
    }

    private func needsWork(_ photo: PhotoRecord, of original: UploadRecord.Photo) -> Bool {
        let recipes = original.treated(recipes)
        if selection.onlyMissing { return recipes.contains { photo.renditions[$0.name] == nil } }
        return photo.renditions.count != recipes.count
            || recipes.contains { recipe in
                guard let rendition = photo.renditions[recipe.name] else { return true }
                return !RenditionName.has(recipe.fingerprint(among: recipes), in: rendition.fileName)
            }
    }
}
