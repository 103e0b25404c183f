import API
import HTTPTypes
import Hummingbird
package import Requests
package import Server

/// The files of the pages, which are part of the binary and load nothing from other sites, and the pages that are the
/// same for everybody: `/account`, the target of links in messages, and `/ops`.
package struct AssetRoutes: Sendable {
    let site: CurrentSite

    package init(site: CurrentSite) {
        self.site = site
    }

    package func add(to routes: inout RouteTable) {
        let site = site
        let file = Endpoint { request, context in
            try Self.file(context.parameters.get("name") ?? "", site.value, request)
        }
        routes.add("/page/{name}", [.get: file])
        let account = Endpoint { request, _ in
            let site = site.value
            return PageHead("account", nil, site.texts(for: request), of: site, origin: "").cached("account", request)
        }
        routes.add("/account", [.get: account])
        let operations = Endpoint { request, _ in
            let site = site.value
            let texts = site.texts(for: request)
            return PageHead("ops", texts.text("ops.title"), texts, of: site, origin: "").response("ops")
        }
        routes.add("/ops", [.get: operations])
    }

    private static func file(_ name: String, _ site: Site, _ request: Request) throws(Failure) -> Response {
        guard let asset = PageAssets.all[name] ?? file(name, of: site) else {
            throw Failure(.notFound, "the pages have no file of this name")
        }
        return asset.response(to: request, isLasting: request.queryText("v") == asset.version)
    }

    /// Returns a file that depends on the operator's settings.
    private static func file(_ name: String, of site: Site) -> Asset? {
        if name == "theme.css" { return Asset(Array((site.theme ?? "").utf8), contentType: "text/css; charset=utf-8") }
        return site.shownIcon?.picture(named: name).map { Asset($0.bytes, contentType: "image/png") }
    }
}
