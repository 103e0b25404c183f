import Tree

/// The written data: the updates of a photo service, each with its own id.
enum Workload {
    static let personCount = 1000
    private static let ids = PushIDGenerator()
    private static let people = (0..<personCount).map { TreeKey(stringLiteral: "person0000", index: $0) }

    /// A post in its author's feed, among the author's posts, and liked by its author.
    static func threeLeaves(_ index: Int) -> MultiPathUpdate {
        let person = people[index % people.count]
        let id = ids.next()
        var update = MultiPathUpdate()
        update["feed" / person / id] = true
        update["people" / person / "posts" / id] = true
        update["likes" / id / person] = .integer(id.timestamp.milliseconds)
        return update
    }

    /// The complete update of a published photo.
    static func post(_ index: Int) -> MultiPathUpdate {
        let person = people[index % people.count]
        let id = ids.next()
        var update = MultiPathUpdate()
        update["posts" / id] = post(id, by: person)
        update["people" / person / "posts" / id] = true
        update["feed" / person / id] = true
        return update
    }

    private static func post(_ id: PushID, by person: TreeKey) -> TreeValue {
        let base = "/media/\(person.string)/\(id.string)"
        func rendition(_ name: String, width: Int64) -> TreeValue {
            [
                "url": .string("\(base)/\(name).jpg"), "width": .integer(width), "height": .integer(width * 3 / 4),
                "bytes": .integer(width * 211),
            ]
        }
        return [
            "text": "A tintype took fifteen minutes, and one could take it home. #history",
            "timestamp": .integer(id.timestamp.milliseconds),
            "author": [
                "uid": .string(person.string), "full_name": "Ada Lovelace",
                "profile_picture": .string("/media/\(person.string)/profile.jpg"),
            ],
            "full_url": .string("\(base)/full.jpg"), "thumb_url": .string("\(base)/thumb.jpg"),
            "photos": [
                "0": [
                    "width": 4032, "height": 3024, "placeholder": "3OcRJYB4d3h/iIeHeEh3eIhw+j2w",
                    "renditions": ["full": rendition("full", width: 1280), "thumb": rendition("thumb", width: 640)],
                ]
            ],
        ]
    }
}

extension TreeKey {
    /// A key of a constant and a number.
    fileprivate init(stringLiteral prefix: String, index: Int) {
        guard let key = try? TreeKey("\(prefix)\(index)") else { fail("\(prefix)\(index) is not a key") }
        self = key
    }
}
