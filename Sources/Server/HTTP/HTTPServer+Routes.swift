import API
import Accounts
import Database
import Hummingbird
import Imaging
import Pipeline
import Social
import Store

/// The service's own interface: its routes, each group with the parts that it needs.
extension HTTPServer {
    func photos(behind guard: SiteGuard, _ operations: OperationsReport) -> Router<RequestContext> {
        let router = Router(context: RequestContext.self)
        router.add(middleware: GzipMiddleware())
        router.add(middleware: CORSMiddleware(origins: origins))
        router.add(middleware: responses(in: .problems))
        router.add(middleware: `guard`)
        router.add(middleware: AdmissionMiddleware(admission: admission, audit: audit))
        var routes = RouteTable()
        addUploads(to: &routes)
        addPosts(to: &routes)
        addPeople(to: &routes)
        addAccounts(to: &routes)
        addOperations(operations, to: &routes)
        addPages(to: &routes)
        routes.addDescription(version: ServiceVersion.current)
        routes.register(with: router)
        return router
    }

    var health: HealthRoutes {
        HealthRoutes(
            tree: service.tree, disk: service.disk, pipeline: service.report, settings: service.shared, room: room)
    }

    var mediaRoutes: MediaRoutes {
        MediaRoutes(service.tree, service.storage.blobs, service.restrictions, media, settings: service.shared)
    }

    private var limits: BodyLimits {
        BodyLimits(
            maxPhotoBytes: service.settings.limits.maxInputBytes, maxRequestBytes: settings.maxRequestBytes)
    }

    private var uploadResponse: UploadResponse {
        UploadResponse(
            store: service.store, tree: service.tree, gate: service.disk.gate, isModerated: service.isModerated,
            media: media, place: service.storage.mediaPlace)
    }

    private var events: EventResponder {
        EventResponder(
            service.tree, admission.access, keepAlive: settings.database.keepAlive, listedIn: admission.open)
    }

    private func addUploads(to routes: inout RouteTable) {
        let response = uploadResponse
        ResumableRoutes(
            UploadRoutes(service.receiver, service.files, service.disk, response, limits: limits),
            DraftRoutes(service.receiver, service.disk, response, limits: limits),
            ResumableReceiver(uploads: service.resumable, store: service.store, disk: service.disk), response,
            settings: service.shared, publicURL: settings.publicURL
        ).add(to: &routes)
        UnclaimedRoutes(service.unclaimed).add(to: &routes)
        mediaRoutes.add(to: &routes)
        StorageRulesRoutes(rules: media.rules).add(to: &routes)
    }

    private func addPosts(to routes: inout RouteTable) {
        let (tree, database) = (service.tree, access.database)
        EventRoutes(tree, database, media, events).add(to: &routes)
        PostRoutes(
            tree: tree, store: service.store, publisher: service.publisher, tools: service.tools, media: media,
            database: database
        ).add(to: &routes)
        FeedRoutes(tree, jobs: service.jobs, index: service.index, media, database, events).add(to: &routes)
        StoryRoutes(tree, media, database).add(to: &routes)
        HashtagRoutes(tree: tree, database: database).add(to: &routes)
        LikeRoutes(tree, media, database).add(to: &routes)
        CommentRoutes(tree, ids: service.storage.ids, database).add(to: &routes)
        FlagRoutes(tree).add(to: &routes)
        ModerationRoutes(moderation: service.moderation).add(to: &routes)
        ScrubRoutes(tools: service.tools, slot: service.jobSlot).add(to: &routes)
        ExpiryRoutes(expiry: service.expiry).add(to: &routes)
    }

    private func addPeople(to routes: inout RouteTable) {
        let (tree, database, clock) = (service.tree, access.database, service.storage.clock)
        let people = People(tree, leftovers: service.leftovers)
        PeopleRoutes(people, database).add(to: &routes)
        AvatarRoutes(service.receiver, service.disk, uploadResponse, people, database, limits: limits).add(
            to: &routes)
        FollowRoutes(tree, database).add(to: &routes)
        AudienceRoutes(tree, database).add(to: &routes)
        PrivacyRoutes(tree).add(to: &routes)
        NotificationRoutes(Notifications(tree, clock: clock)).add(to: &routes)
        OutboxRoutes(outbox: Outbox(tree, clock: clock)).add(to: &routes)
        AnnouncementRoutes(Announcements(tree, ids: service.storage.ids), database).add(to: &routes)
    }

    private func addAccounts(to routes: inout RouteTable) {
        guard let accounts else { return }
        AccountRoutes(accounts: accounts.service).add(to: &routes)
        KeyRoutes(
            keys: accounts.adminKeys, signingKeys: accounts.signingKeys, authority: accounts.authority,
            mediaKeys: accounts.mediaKeys, media: media.signer, logger: logger
        ).add(to: &routes)
    }

    private func addOperations(_ operations: OperationsReport, to routes: inout RouteTable) {
        ChangeRoutes(access, keepAlive: settings.database.keepAlive, listedIn: admission.open).add(to: &routes)
        if let reload = settings.reload { ReloadRoutes(reload: reload).add(to: &routes) }
        health.add(to: &routes)
        MetricsRoutes(health).add(to: &routes)
        OperationsRoutes(operations, admission).add(to: &routes)
        FailureRoutes(
            files: service.store.intakes.putAside, scheduler: service.scheduler, settings: service.shared
        ).add(to: &routes)
        RefusalRoutes(audit: audit).add(to: &routes)
        BatchRoutes(
            batches: service.batches, tools: service.tools, disk: service.disk, settings: service.shared,
            slot: service.jobSlot
        ).add(to: &routes)
        AuditRoutes(tools: service.auditTools, slot: service.auditSlot).add(to: &routes)
        BackupRoutes(service.storage).add(to: &routes)
        UpgradeRoutes(service.storage).add(to: &routes)
        UsageRoutes(reader: service.usage, quotas: service.quotas).add(to: &routes)
    }

    private func addPages(to routes: inout RouteTable) {
        let source = PageSource(
            service.tree, ids: service.storage.ids, media, access.database, publicURL: settings.publicURL)
        AssetRoutes().add(to: &routes)
        PageRoutes(source: source, canSendCodes: accounts?.service.canSendCodes ?? false).add(to: &routes)
        SyndicationRoutes(source: source).add(to: &routes)
        EmbedRoutes(source: source).add(to: &routes)
    }
}
