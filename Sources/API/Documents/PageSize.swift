/// How much a page of a list may have.
package enum PageSize {
    /// The largest number of entries.
    package static let max = 200
}
