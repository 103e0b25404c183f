package import API
package import Imaging
package import Model
package import Uploads

/// The request of a job over posts.
package struct BatchOrder: Sendable {
    package var kind: PostRunKind
    package var selection = PostSelection()
    package var switches = PostRunSwitch.each
    /// The recipes of a rendering job; nil for those of the settings.
    package var recipes: [Recipe]?
    /// The rule of a job over originals; nil for that of the settings.
    package var rule: OriginalRule?
    package var pace = PostRunPace()
    /// The posts to process; nil for those of the selection.
    package var posts: [PostID]?

    package init(_ kind: PostRunKind) { self.kind = kind }
}
