package import Hummingbird
import Requests
package import Server

/// The page of a closed service for strangers. It is the same at every address, so that it does not tell what exists.
///
/// A browser's request for a page contains no credentials: scripts show a member what is at the address, and anybody else
/// the form for signing in. The address stays, so that somebody who signs in is where they wanted to go.
package struct ClosedPage: Sendable {
    let visibility: Visibility
    /// Whether the service can send messages with codes.
    let canSendCodes: Bool
    private let waysIn: @Sendable () -> WaysIn

    /// - Parameter waysIn: Returns the ways in at present.
    package init(visibility: Visibility, canSendCodes: Bool, waysIn: @escaping @Sendable () -> WaysIn) {
        self.visibility = visibility
        self.canSendCodes = canSendCodes
        self.waysIn = waysIn
    }

    /// The traits of the service at present.
    var traits: PageHead.Traits { PageHead.Traits(canSendCodes: canSendCodes, waysIn: waysIn()) }

    /// Returns the page for an address that has no page: the form if the service is closed.
    ///
    /// A state that cannot be read is that of a closed service.
    package func missing(_ request: Request, of site: Site) async -> Response {
        let state = (try? await visibility.state) ?? .shut
        return state.isClosed
            ? response(to: request, of: site, state)
            : PageRefusal.missing.response("", site.texts(for: request), of: site, traits: traits) { _ in nil }
    }

    func response(to request: Request, of site: Site, _ state: Visibility.State) -> Response {
        let texts = site.texts(for: request)
        var head = PageHead("closed", nil, texts, of: site, origin: "", traits: traits)
        head.close()
        head["isClosed"] = true
        head["hasStories"] = state.hidesPosts
        head["heading"] = head["title"]
        head["description"] = texts.text("closed.words")
        head["message"] = texts.text("closed.words")
        return head.response("message")
    }
}
