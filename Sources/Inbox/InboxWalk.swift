import Files
import Keeping

/// A walk through a user's folder and its subfolders, in the order of names, a page at a time: however many files there
/// are, only some thousand names are in memory, and each file is read only when its turn comes.
struct InboxWalk: Sendable {
    /// The number of names without a result after which others have their turn.
    private static let maxLooks = 256

    private struct Level: Sendable {
        let place: InboxFolder
        /// The names in reverse order.
        var names: [RawName] = []
        var cursor: RawName?
        var isLastPage = false
    }

    private var levels: [Level]
    /// The number of names of one folder in memory.
    private let pageLength: Int

    /// Begins a walk at a root. The walk of the inbox itself finds the users' folders without entering them.
    init(_ root: InboxFolder.Root, pageLength: Int) {
        levels = [Level(place: InboxFolder(root: root))]
        self.pageLength = pageLength
    }

    /// Continues to the next name that requires an action.
    ///
    /// - Returns: The finding and its folder; `nothing` if others should have a turn; nil at the end.
    mutating func next(
        in inbox: Directory, events: InboxEvents, stability: FileStability, maxPhotos: Int
    ) throws(FileError) -> (finding: FileInspector.Finding, place: InboxFolder)? {
        var looks = 0
        var open: (place: InboxFolder, folder: Directory)?
        while var level = levels.popLast() {
            let folder: Directory
            do throws(FileError) {
                if let open, open.place == level.place {
                    folder = open.folder
                } else {
                    folder = try level.place.open(in: inbox)
                    open = (level.place, folder)
                }
                if level.names.isEmpty, !level.isLastPage { try turn(&level, in: folder, events) }
            } catch {
                if error.code == .notFound { continue }  // The folder was removed meanwhile.
                throw error
            }
            guard let name = level.names.popLast() else { continue }
            levels.append(level)
            let look = FileInspector(
                folder: folder, place: level.place, stability: stability, maxPhotos: maxPhotos)
            let finding = try look.look(at: name)
            switch finding {
            case .nothing: break
            case .folder(let place) where level.place.root != .inbox: levels.append(Level(place: place))
            default: return (finding, level.place)
            }
            looks += 1
            if looks >= Self.maxLooks { return (.nothing, level.place) }
        }
        return nil
    }

    /// Loads the next page of a folder.
    private func turn(_ level: inout Level, in folder: Directory, _ events: InboxEvents) throws(FileError) {
        if level.cursor == nil { events.watch(level.place) }
        let names = try folder.rawNames(after: level.cursor, limit: pageLength) { !IgnoredFiles.contains($0) }
        level.isLastPage = names.count < pageLength
        level.cursor = names.last
        level.names = names.reversed()
    }
}
