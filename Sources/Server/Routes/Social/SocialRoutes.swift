import Database
import Pipeline
import Tree

/// What people make of each other's posts: profiles, follows, feeds, likes, comments, notifications.
struct SocialRoutes: Sendable {
    let service: UploadService
    let media: MediaAccess
    let database: RealtimeDatabase

    func add(to routes: inout RouteTable) {
        LikeRoutes(service.tree, media, database).add(to: &routes)
        CommentRoutes(service.tree, ids: service.storage.ids, database).add(to: &routes)
        PeopleRoutes(service.tree, database).add(to: &routes)
        FollowRoutes(service.tree, database).add(to: &routes)
    }
}
