package import API
package import Imaging
package import Model
package import Uploads

/// What a job over posts is to do.
package struct BatchOrder: Sendable {
    package var kind: PostRunKind
    package var selection = PostSelection()
    package var switches = PostRunSwitch.each
    /// Of a job that renders: its recipes; nil for those of the settings.
    package var recipes: [Recipe]?
    /// Of a job over originals: what it does; nil for the rule of the settings.
    package var rule: OriginalRule?
    package var pace = PostRunPace()
    /// Only these posts; nil for those of the selection.
    package var posts: [PostID]?

    package init(_ kind: PostRunKind) { self.kind = kind }
}
