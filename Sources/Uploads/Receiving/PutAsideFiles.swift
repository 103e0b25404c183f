package import API
package import Files

/// What could not become a post and was put aside, for an operator to look at and to decide about. All calls block.
///
/// The ways in put it aside and know where it lies; whoever shows it names it by what it was told.
package protocol PutAsideFiles: Sendable {
    /// The number of times that something was put aside, put back or deleted since the start.
    var changeCount: Int { get }

    /// Everything that was put aside.
    ///
    /// - Parameters:
    ///   - reason: Only what failed for it.
    ///   - user: Only this person's.
    func list(reason: String?, user: String?) throws(FileError) -> [FailedFileDocument]

    /// Opens the photo that has a path of the list, or the first one of a post of several.
    ///
    /// - Throws: `FileError`: `not_found` when nothing of it is there.
    func open(_ path: String) throws(FileError) -> (photo: FileReader, document: FailedFileDocument)

    /// Puts something back to where it came from, to be tried again; replaces nothing.
    ///
    /// - Throws: `FileError`: `exists` when something of that name is there, `not_found` when nothing of it is left.
    func retry(_ path: String) throws(FileError)

    /// Deletes something with its reason.
    func drop(_ path: String) throws(FileError)
}
