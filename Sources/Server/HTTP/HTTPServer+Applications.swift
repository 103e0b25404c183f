import Accounts
import Database
import Hummingbird
import Store
import Uploads

/// The applications of the server that Firebase's SDKs speak to, beside the database, each with its middleware.
extension HTTPServer {
    func identity(behind guard: SiteGuard) -> (any HTTPResponder<RequestContext>)? {
        guard let accounts else { return nil }
        let router = Router(context: RequestContext.self)
        router.add(middleware: GzipMiddleware())
        router.add(middleware: ClientCORS(origins: origins, methods: "GET, POST, PATCH, DELETE, OPTIONS"))
        router.add(middleware: responses(in: .identity))
        router.add(middleware: `guard`)
        router.add(middleware: AdmissionMiddleware(admission: admission, audit: audit))
        let responder = IdentityResponder(
            accounts: accounts.service, authority: accounts.authority, isEmulator: settings.database.isEmulator,
            publicURL: settings.publicURL)
        return router.middlewares.constructResponder(finalResponder: responder)
    }

    func storage(behind guard: SiteGuard) -> any HTTPResponder<RequestContext> {
        let router = Router(context: RequestContext.self)
        router.add(
            middleware: ClientCORS(
                origins: origins, methods: StorageResponder.methods, exposed: StorageResponder.exposedHeaders))
        router.add(middleware: responses(in: .storage))
        router.add(middleware: `guard`)
        router.add(middleware: AdmissionMiddleware(admission: admission, audit: audit))
        return router.middlewares.constructResponder(
            finalResponder: StorageResponder(
                tree: parts.tree, blobs: parts.storage.blobs, objects: parts.objects, gate: parts.disk.gate,
                restrictions: parts.restrictions, media: media, files: mediaRoutes,
                isEmulator: settings.database.isEmulator, publicURL: settings.publicURL))
    }

    func responses(in words: ErrorWords) -> ResponseMiddleware {
        ResponseMiddleware(words: words, logger: logger, audit: audit, admission: admission) {
            [disk = parts.disk] error in disk.notice(error)
        }
    }
}
