import TintypeModel

extension PostWords {
    /// Gives a post these words, and its photos this order. Photos that are not named keep theirs, at the end.
    func apply(to post: inout Post) {
        (post.text, post.mentions) = (text, mentions)
        var remaining = post.photos.enumerated().map { index, photo in (number: photo.number ?? index, photo: photo) }
        var ordered: [Photo] = []
        for words in photos {
            guard let index = remaining.firstIndex(where: { $0.number == words.number }) else { continue }
            var photo = remaining.remove(at: index).photo
            photo.alternativeText = words.alternativeText
            photo.number = words.number
            ordered.append(photo)
        }
        post.photos = ordered + remaining.map(\.photo)
    }
}
