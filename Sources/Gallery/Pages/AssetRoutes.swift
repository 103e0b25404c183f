import API
import HTTPTypes
import Hummingbird
package import Requests

/// The files of the pages, which are part of the binary and load nothing from other sites, and the pages that are the
/// same for everybody: `/account`, the target of links in messages, and `/ops`.
package struct AssetRoutes: Sendable {

    package init() {}
    /// All files, compressed once.
    private static let assets: [String: Asset] = {
        var files = Dictionary(PageFiles.all.map { ($0.name, $0.bytes) }, uniquingKeysWith: { $1 })
        for texts in PageTexts.all.values { files.merge(texts.modules) { $1 } }
        for scripts in GalleryScripts.all { files.merge(scripts.files) { $1 } }
        return Dictionary(uniqueKeysWithValues: files.map { ($0.key, Asset($0.key, $0.value)) })
    }()
    private static let account = Asset("account.html", PackageResources.account_html)

    package func add(to routes: inout RouteTable) {
        let file = Endpoint { request, context in
            try Self.file(context.parameters.get("name") ?? "", request)
        }
        routes.add("/page/{name}", [.get: file])
        let account = Endpoint { request, _ in
            Self.account.response(to: request, headers: PageHead.safeHeaders)
        }
        routes.add("/account", [.get: account])
        let operations = Endpoint { request, _ in
            let texts = PageTexts.in(PageLanguage(for: request.headers))
            return PageHead("ops", nil, texts, origin: "").response("ops")
        }
        routes.add("/ops", [.get: operations])
    }

    private static func file(_ name: String, _ request: Request) throws(Failure) -> Response {
        guard let asset = assets[name] else { throw Failure(.notFound, "the pages have no file of this name") }
        return asset.response(to: request)
    }
}
