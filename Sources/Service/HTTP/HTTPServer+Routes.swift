import API
import Accounts
import Database
import DatabaseHTTP
import Gallery
import Hummingbird
import Imaging
import Keeping
import Requests
import Server
import Social
import Store
import Uploads

// The routes of the photo API, each group with the parts that it needs.
extension HTTPServer {
    func photos(behind guard: SiteGuard, _ operations: OperationsReport) -> Router<HTTPContext> {
        let router = Router(context: HTTPContext.self)
        router.add(middleware: GzipMiddleware())
        router.add(middleware: CORSMiddleware(origins: origins))
        router.add(middleware: RobotsMiddleware(visibility: visibility))
        router.add(middleware: responses(in: .problems))
        router.add(middleware: `guard`)
        router.add(middleware: AdmissionMiddleware(admission: admission, audit: audit))
        router.add(middleware: WriteTokenMiddleware(pipeline.tree))
        router.add(middleware: visibilityMiddleware)
        var routes = RouteTable()
        addUploads(to: &routes)
        addPosts(to: &routes)
        addPeople(to: &routes)
        addAccounts(to: &routes)
        addOperations(operations, to: &routes)
        addPages(to: &routes)
        routes.addDescription(version: ServiceVersion.current, origin: settings.publicURL?.origin)
        routes.register(with: router)
        return router
    }

    var health: HealthRoutes {
        HealthRoutes(
            tree: pipeline.tree, disk: pipeline.disk, pipeline: pipeline.report, settings: pipeline.shared, room: room)
    }

    var mediaRoutes: MediaRoutes {
        MediaRoutes(pipeline.tree, pipeline.storage.blobs, pipeline.restrictions, media, settings: pipeline.shared)
    }

    private var limits: BodyLimits {
        BodyLimits(
            maxPhotoBytes: pipeline.shared.value.limits.maxInputBytes, maxRequestBytes: settings.maxRequestBytes)
    }

    private var uploadResponse: UploadResponse {
        UploadResponse(
            store: pipeline.store, tree: pipeline.tree, gate: pipeline.disk.gate,
            isModerated: pipeline.restrictions.isModerated,
            media: media, base: pipeline.storage.publicBase)
    }

    private var events: EventResponder {
        EventResponder(
            pipeline.tree, admission.access, keepAlive: settings.database.keepAlive, listedIn: admission.open)
    }

    private func addUploads(to routes: inout RouteTable) {
        let response = uploadResponse
        ResumableRoutes(
            UploadRoutes(pipeline.receiver, pipeline.files, pipeline.disk, response, limits: limits),
            DraftRoutes(pipeline.receiver, pipeline.disk, response, limits: limits),
            ResumableReceiver(uploads: pipeline.resumable, store: pipeline.store, disk: pipeline.disk), response,
            settings: pipeline.shared, publicURL: settings.publicURL
        ).add(to: &routes)
        UnclaimedRoutes(pipeline.unclaimed).add(to: &routes)
        mediaRoutes.add(to: &routes)
        StorageRulesRoutes(rules: media.rules).add(to: &routes)
    }

    private func addPosts(to routes: inout RouteTable) {
        let (tree, database) = (pipeline.tree, access.database)
        EventRoutes(tree, database, media, events).add(to: &routes)
        PostRoutes(
            tree: tree, store: pipeline.store, publisher: pipeline.publisher, tools: pipeline.tools, media: media,
            database: database
        ).add(to: &routes)
        FeedRoutes(tree, tasks: pipeline.tasks, index: pipeline.index, media, database, events).add(to: &routes)
        AudienceFeedRoutes(tree, media, database).add(to: &routes)
        SyncRoutes(
            tree, database, tasks: pipeline.tasks, visibility, media, uploadResponse, events,
            clock: pipeline.storage.clock
        ).add(to: &routes)
        HashtagRoutes(tree: tree, database: database).add(to: &routes)
        LikeRoutes(tree, media, database).add(to: &routes)
        CommentRoutes(tree, ids: pipeline.storage.ids, database).add(to: &routes)
        FlagRoutes(tree).add(to: &routes)
        ModerationRoutes(moderation: pipeline.moderation).add(to: &routes)
        ScrubRoutes(tools: pipeline.tools, slot: pipeline.postRunSlot).add(to: &routes)
        ExpiryRoutes(expiry: pipeline.expiry).add(to: &routes)
    }

    private func addPeople(to routes: inout RouteTable) {
        let (tree, database, clock) = (pipeline.tree, access.database, pipeline.storage.clock)
        let people = People(tree, leftovers: pipeline.leftovers)
        PeopleRoutes(people, database).add(to: &routes)
        AvatarRoutes(pipeline.receiver, pipeline.disk, uploadResponse, people, database, limits: limits).add(
            to: &routes)
        FollowRoutes(tree, database).add(to: &routes)
        AudienceRoutes(tree, database).add(to: &routes)
        PrivacyRoutes(tree).add(to: &routes)
        NotificationRoutes(Notifications(tree, clock: clock), database, visibility).add(to: &routes)
        OutboxRoutes(outbox: Outbox(tree, clock: clock)).add(to: &routes)
        AnnouncementRoutes(Announcements(tree, ids: pipeline.storage.ids), database).add(to: &routes)
    }

    private func addAccounts(to routes: inout RouteTable) {
        guard let accounts else { return }
        if let setup {
            SetupRoutes(
                setup, accounts.service, ownPages: ownPages, writer: settings.settingsWriter, reload: settings.reload
            ).add(to: &routes)
        }
        IdentityResponder.describe(in: &routes)
        AccountRoutes(accounts: accounts.service).add(to: &routes)
        InvitationRoutes(accounts.service, name: { [site = settings.site] in site.value.name }).add(to: &routes)
        JoinRequestRoutes(accounts.service).add(to: &routes)
        ClassAccountRoutes(accounts.service).add(to: &routes)
        KeyRoutes(
            keys: accounts.adminKeys, signingKeys: accounts.signingKeys, mediaKeys: accounts.mediaKeys, logger: logger
        ).add(to: &routes)
    }

    /// The check that only a page of the service itself sends a request, whatever pages of other origins may do else.
    private var ownPages: SiteGuard {
        SiteGuard(
            names: names, origins: .these(settings.publicURL.map { [$0.origin] } ?? []), proxyWarning: ProxyWarning())
    }

    private func addOperations(_ operations: OperationsReport, to routes: inout RouteTable) {
        ChangeRoutes(access, keepAlive: settings.database.keepAlive, listedIn: admission.open).add(to: &routes)
        ValueRoutes(access).add(to: &routes)
        if let reload = settings.reload { ReloadRoutes(reload: reload).add(to: &routes) }
        health.add(to: &routes)
        MetricsRoutes(
            health, pipeline.storage.metrics,
            .init(
                open: admission.open, audit: audit, putAside: pipeline.store.intakes.putAside,
                postRuns: pipeline.postRuns, storage: pipeline.storage.root)
        ).add(to: &routes)
        OperationsRoutes(operations, admission).add(to: &routes)
        FailureRoutes(
            files: pipeline.store.intakes.putAside, scheduler: pipeline.scheduler, settings: pipeline.shared,
            tree: pipeline.tree
        ).add(to: &routes)
        RefusalRoutes(audit: audit).add(to: &routes)
        PostRunRoutes(
            postRuns: pipeline.postRuns, tools: pipeline.tools, disk: pipeline.disk, settings: pipeline.shared,
            slot: pipeline.postRunSlot
        ).add(to: &routes)
        StoreCheckRoutes(tools: pipeline.storeCheckTools, slot: pipeline.storeCheckSlot).add(to: &routes)
        BackupRoutes(pipeline.storage).add(to: &routes)
        UpgradeRoutes(pipeline.storage).add(to: &routes)
        UsageRoutes(reader: pipeline.usage, quotas: pipeline.quotas).add(to: &routes)
    }

    private func addPages(to routes: inout RouteTable) {
        let source = PageSource(
            pipeline.tree, ids: pipeline.storage.ids, media, access.database, publicURL: settings.publicURL,
            site: settings.site)
        AssetRoutes(site: settings.site).add(to: &routes)
        SiteRoutes(source: source).add(to: &routes)
        RobotsRoutes(visibility: visibility).add(to: &routes)
        PageRoutes(source: source, closed: closedPage, setup: setup).add(to: &routes)
        SyndicationRoutes(source: source).add(to: &routes)
        EmbedRoutes(source: source).add(to: &routes)
    }
}
