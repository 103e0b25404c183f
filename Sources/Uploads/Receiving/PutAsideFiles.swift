package import API
package import Files

/// The files that could not become posts and were put aside, for an operator to inspect and handle. All calls block.
///
/// The ways in put files aside and know their locations; callers identify a file by the path in its document.
package protocol PutAsideFiles: Sendable {
    /// The number of times that a file was put aside, put back or deleted since the start.
    var changeCount: Int { get }

    /// Returns the files that were put aside.
    ///
    /// - Parameters:
    ///   - reason: The failure to list; nil for all.
    ///   - user: The user whose files are listed; nil for all.
    func list(reason: String?, user: String?) throws(FileError) -> [FailedFileDocument]

    /// Returns the numbers of files that were put aside, by the code of their reason. Blocks.
    func counts() throws(FileError) -> [String: Int]

    /// Opens the photo with a path from the list, or the first photo if it is a post of several.
    ///
    /// - Throws: `FileError`: `not_found` if the file no longer exists.
    func open(_ path: String) throws(FileError) -> (photo: FileReader, document: FailedFileDocument)

    /// Moves a file back to its source so that it is tried again; replaces nothing.
    ///
    /// - Throws: `FileError`: `exists` if a file with its name exists, `not_found` if the file no longer exists.
    func retry(_ path: String) throws(FileError)

    /// Deletes a file together with its reason.
    func drop(_ path: String) throws(FileError)
}
