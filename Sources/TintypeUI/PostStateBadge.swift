#if canImport(SwiftUI)
    public import SwiftUI
    public import TintypeStore

    /// A badge that says how far a post is known to the service; nothing for one that is up to date.
    ///
    /// This module was never compiled: it is untried on Apple's platforms.
    public struct PostStateBadge: View {
        private let state: LocalState
        private let isParked: Bool

        /// Creates the badge of a post.
        public init(_ post: LocalPost) { (state, isParked) = (post.state, !post.parkedWrites.isEmpty) }

        /// The badge.
        public var body: some View {
            if isParked {
                Label("Needs your attention", systemImage: "exclamationmark.triangle").foregroundStyle(.red)
            } else {
                switch state {
                case .toBeAdded: waiting(Text("Waiting to be published"), "arrow.up.circle")
                case .toBeUpdated: waiting(Text("Waiting to be changed"), "arrow.triangle.2.circlepath")
                case .toBeDeleted: waiting(Text("Waiting to be deleted"), "trash")
                case .upToDate: EmptyView()
                }
            }
        }

        private func waiting(_ text: Text, _ symbol: String) -> some View {
            Label {
                text
            } icon: {
                Image(systemName: symbol)
            }
            .font(.caption)
            .foregroundStyle(.secondary)
        }
    }
#endif
