import Glibc

/// Lets nobody but its owner into a folder.
///
/// - Throws: `FileError` for a folder of somebody else's.
package func closeToOthers(_ folder: Directory) throws(FileError) {
    guard fchmod(folder.descriptor, 0o700) == 0 else { throw FileError(errno: errno, doing: "chmod \(folder.path)") }
}
