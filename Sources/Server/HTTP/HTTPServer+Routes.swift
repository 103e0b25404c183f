import API
import Accounts
import Database
import Hummingbird
import Imaging
import Keeping
import Social
import Store
import Uploads

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
            tree: parts.tree, disk: parts.disk, pipeline: parts.report, settings: parts.settings, room: room)
    }

    var mediaRoutes: MediaRoutes {
        MediaRoutes(parts.tree, parts.storage.blobs, parts.restrictions, media, settings: parts.settings)
    }

    private var limits: BodyLimits {
        BodyLimits(
            maxPhotoBytes: parts.settings.value.limits.maxInputBytes, maxRequestBytes: settings.maxRequestBytes)
    }

    private var uploadResponse: UploadResponse {
        UploadResponse(
            store: parts.store, tree: parts.tree, gate: parts.disk.gate, isModerated: parts.restrictions.isModerated,
            media: media, place: parts.storage.mediaPlace)
    }

    private var events: EventResponder {
        EventResponder(
            parts.tree, admission.access, keepAlive: settings.database.keepAlive, listedIn: admission.open)
    }

    private func addUploads(to routes: inout RouteTable) {
        let response = uploadResponse
        ResumableRoutes(
            UploadRoutes(parts.receiver, parts.files, parts.disk, response, limits: limits),
            DraftRoutes(parts.receiver, parts.disk, response, limits: limits),
            ResumableReceiver(uploads: parts.resumable, store: parts.store, disk: parts.disk), response,
            settings: parts.settings, publicURL: settings.publicURL
        ).add(to: &routes)
        UnclaimedRoutes(parts.unclaimed).add(to: &routes)
        mediaRoutes.add(to: &routes)
        StorageRulesRoutes(rules: media.rules).add(to: &routes)
    }

    private func addPosts(to routes: inout RouteTable) {
        let (tree, database) = (parts.tree, access.database)
        EventRoutes(tree, database, media, events).add(to: &routes)
        PostRoutes(
            tree: tree, store: parts.store, publisher: parts.publisher, tools: parts.tools, media: media,
            database: database
        ).add(to: &routes)
        FeedRoutes(tree, jobs: parts.jobs, index: parts.index, media, database, events).add(to: &routes)
        StoryRoutes(tree, media, database).add(to: &routes)
        HashtagRoutes(tree: tree, database: database).add(to: &routes)
        LikeRoutes(tree, media, database).add(to: &routes)
        CommentRoutes(tree, ids: parts.storage.ids, database).add(to: &routes)
        FlagRoutes(tree).add(to: &routes)
        ModerationRoutes(moderation: parts.moderation).add(to: &routes)
        ScrubRoutes(tools: parts.tools, slot: parts.jobSlot).add(to: &routes)
        ExpiryRoutes(expiry: parts.expiry).add(to: &routes)
    }

    private func addPeople(to routes: inout RouteTable) {
        let (tree, database, clock) = (parts.tree, access.database, parts.storage.clock)
        let people = People(tree, leftovers: parts.leftovers)
        PeopleRoutes(people, database).add(to: &routes)
        AvatarRoutes(parts.receiver, parts.disk, uploadResponse, people, database, limits: limits).add(
            to: &routes)
        FollowRoutes(tree, database).add(to: &routes)
        AudienceRoutes(tree, database).add(to: &routes)
        PrivacyRoutes(tree).add(to: &routes)
        NotificationRoutes(Notifications(tree, clock: clock)).add(to: &routes)
        OutboxRoutes(outbox: Outbox(tree, clock: clock)).add(to: &routes)
        AnnouncementRoutes(Announcements(tree, ids: parts.storage.ids), database).add(to: &routes)
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
        MetricsRoutes(health, parts.storage.metrics).add(to: &routes)
        OperationsRoutes(operations, admission).add(to: &routes)
        FailureRoutes(
            files: parts.store.intakes.putAside, scheduler: parts.scheduler, settings: parts.settings
        ).add(to: &routes)
        RefusalRoutes(audit: audit).add(to: &routes)
        BatchRoutes(
            batches: parts.batches, tools: parts.tools, disk: parts.disk, settings: parts.settings,
            slot: parts.jobSlot
        ).add(to: &routes)
        AuditRoutes(tools: parts.auditTools, slot: parts.auditSlot).add(to: &routes)
        BackupRoutes(parts.storage).add(to: &routes)
        UpgradeRoutes(parts.storage).add(to: &routes)
        UsageRoutes(reader: parts.usage, quotas: parts.quotas).add(to: &routes)
    }

    private func addPages(to routes: inout RouteTable) {
        let source = PageSource(
            parts.tree, ids: parts.storage.ids, media, access.database, publicURL: settings.publicURL)
        AssetRoutes().add(to: &routes)
        PageRoutes(source: source, canSendCodes: accounts?.service.canSendCodes ?? false).add(to: &routes)
        SyndicationRoutes(source: source).add(to: &routes)
        EmbedRoutes(source: source).add(to: &routes)
    }
}
