import Database
import Pipeline
import Social
import Tree

/// What people make of each other's posts: profiles, follows, feeds, likes, comments, notifications.
struct SocialRoutes: Sendable {
    private let service: UploadService
    private let media: MediaAccess
    private let database: RealtimeDatabase
    private let limits: BodyLimits
    private let events: EventResponder

    init(
        _ service: UploadService, _ media: MediaAccess, _ database: RealtimeDatabase, limits: BodyLimits,
        events: EventResponder
    ) {
        self.service = service
        self.media = media
        self.database = database
        self.limits = limits
        self.events = events
    }

    func add(to routes: inout RouteTable) {
        LikeRoutes(service.tree, media, database).add(to: &routes)
        CommentRoutes(service.tree, ids: service.storage.ids, database).add(to: &routes)
        PeopleRoutes(service, database).add(to: &routes)
        AvatarRoutes(service, media, database, limits: limits).add(to: &routes)
        FollowRoutes(service.tree, database).add(to: &routes)
        NotificationRoutes(Notifications(service.tree, clock: service.storage.clock)).add(to: &routes)
        OutboxRoutes(outbox: Outbox(service.tree, clock: service.storage.clock)).add(to: &routes)
        AnnouncementRoutes(Announcements(service.tree, ids: service.storage.ids), database).add(to: &routes)
        PrivacyRoutes(service.tree).add(to: &routes)
        FlagRoutes(service.tree).add(to: &routes)
        ModerationRoutes(moderation: PostModeration(service)).add(to: &routes)
        HashtagRoutes(tree: service.tree, database: database).add(to: &routes)
        FeedRoutes(service, media, database, events).add(to: &routes)
        AudienceRoutes(service.tree, database).add(to: &routes)
        StoryRoutes(service.tree, media, database).add(to: &routes)
    }
}
