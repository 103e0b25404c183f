import CPlatform
import Failpoints
import Glibc

/// The deletion of the contents of a folder, without the folder itself.
///
/// Each level needs a descriptor and stack space, and folders can be nested to any depth. Folders that are too deep are
/// moved up to the top level, and deleted in another pass.
struct FolderRemoval {
    private let top: Directory

    init(in folder: Directory) { top = folder }

    /// Deletes all contents.
    func run() throws(FileError) {
        while try !empty(top, depth: 0) {}
    }

    /// Deletes the contents of one of the folders.
    ///
    /// - Returns: Whether nothing remains to be deleted.
    private func empty(_ folder: Directory, depth: Int) throws(FileError) -> Bool {
        var isAll = true
        for name in try folder.rawNames() {
            var status = stat()
            guard name.withCString({ fstatat(folder.descriptor, $0, &status, AT_SYMLINK_NOFOLLOW) }) == 0 else {
                continue
            }
            let path = "\(folder.path)/\(name.escaped)"
            let isFolder = status.st_mode & S_IFMT == S_IFDIR
            if isFolder, depth == Directory.maxDepth {
                try moveUp(name, from: folder)
                isAll = false
                continue
            }
            if isFolder {
                let inside = name.withCString {
                    cplatform_openat(folder.descriptor, $0, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0)
                }
                guard inside >= 0 else { throw FileError(errno: -inside, doing: "open \(path)") }
                if try !empty(Directory(descriptor: inside, path: path), depth: depth + 1) { isAll = false }
            }
            let result = Failpoint.delete.around(path) {
                name.withCString { unlinkat(folder.descriptor, $0, isFolder ? AT_REMOVEDIR : 0) }
            }
            guard result == 0 || errno == ENOENT else { throw folder.failure("delete", name.escaped) }
        }
        return isAll
    }

    private func moveUp(_ name: RawName, from folder: Directory) throws(FileError) {
        let newName = ".deep-\(UInt64.random(in: .min ... .max))"
        let result = Failpoint.rename.around("\(top.path)/\(newName)") {
            name.withCString { cplatform_rename_noreplace(folder.descriptor, $0, top.descriptor, newName) }
        }
        guard result == 0 else { throw FileError(errno: -result, doing: "move up \(folder.path)/\(name.escaped)") }
    }
}
