import Glibc

/// Restricts access to a folder to its owner.
///
/// - Throws: `FileError` if the folder belongs to another user.
package func closeToOthers(_ folder: Directory) throws(FileError) {
    guard fchmod(folder.descriptor, 0o700) == 0 else { throw FileError(errno: errno, doing: "chmod \(folder.path)") }
}
