/// The limit on the length of a page of a list.
package enum PageSize {
    /// The largest number of entries.
    package static let max = 200
}
