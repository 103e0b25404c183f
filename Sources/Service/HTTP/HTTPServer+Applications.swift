import Accounts
import Database
import DatabaseHTTP
import Gallery
import Hummingbird
import Requests
import Server
import Store
import Uploads

// The applications of the server for Firebase's SDKs, except the database, each with its middleware.
extension HTTPServer {
    func identity(behind guard: SiteGuard) -> (any HTTPResponder<HTTPContext>)? {
        guard let accounts else { return nil }
        let router = Router(context: HTTPContext.self)
        router.add(middleware: GzipMiddleware())
        router.add(
            middleware: ClientCORS(
                origins: origins, methods: "GET, POST, PATCH, DELETE, OPTIONS", exposed: "Tintype-Token"))
        router.add(middleware: responses(in: .identity))
        router.add(middleware: `guard`)
        router.add(middleware: AdmissionMiddleware(admission: admission, audit: audit))
        router.add(middleware: WriteTokenMiddleware(pipeline.tree))
        let responder = IdentityResponder(
            accounts: accounts.service, authority: accounts.authority, isEmulator: settings.database.isEmulator,
            publicURL: settings.publicURL, metrics: pipeline.storage.metrics)
        return router.middlewares.constructResponder(finalResponder: responder)
    }

    func storage(behind guard: SiteGuard) -> any HTTPResponder<HTTPContext> {
        let router = Router(context: HTTPContext.self)
        router.add(
            middleware: ClientCORS(
                origins: origins, methods: StorageResponder.methods, exposed: StorageResponder.exposedHeaders))
        router.add(middleware: RobotsMiddleware(visibility: visibility))
        router.add(middleware: responses(in: .storage))
        router.add(middleware: `guard`)
        router.add(middleware: AdmissionMiddleware(admission: admission, audit: audit))
        router.add(middleware: WriteTokenMiddleware(pipeline.tree))
        router.add(middleware: visibilityMiddleware)
        return router.middlewares.constructResponder(
            finalResponder: StorageResponder(
                tree: pipeline.tree, blobs: pipeline.storage.blobs, objects: pipeline.objects, gate: pipeline.disk.gate,
                restrictions: pipeline.restrictions, media: media, files: mediaRoutes,
                isEmulator: settings.database.isEmulator, publicURL: settings.publicURL))
    }

    func responses(in words: ErrorRenderer) -> ResponseMiddleware {
        ResponseMiddleware(
            words: words, logger: logger, audit: audit, admission: admission,
            onFault: { [disk = pipeline.disk] error in disk.notice(error) },
            missingPage: { [site = settings.site, closedPage] request in
                guard PageRefusal.isForBrowser(request) else { return nil }
                return await closedPage.missing(request, of: site.value)
            })
    }

    var closedPage: ClosedPage {
        ClosedPage(visibility: visibility, canSendCodes: accounts?.service.canSendCodes ?? false) { [accounts] in
            guard let ways = accounts?.service.signUp else { return WaysIn() }
            let signUp: WaysIn.SignUp? =
                ways.contains(.email) ? .email : ways.contains(.invitation) ? .invitation : nil
            return WaysIn(signUp: signUp, takesJoinRequests: ways.contains(.request))
        }
    }

    var visibilityMiddleware: VisibilityMiddleware {
        VisibilityMiddleware(visibility: visibility, tree: pipeline.tree, database: access.database)
    }
}
