"""Words of analysed matches in English, Russian and Ukrainian, for text, reports and quizzes.

Only what `nardy_core.terms` does not have, or says otherwise: a word that is not here is looked for
there.
"""
from __future__ import annotations

from nardy_core import terms

# key: (English, Russian, Ukrainian)
_WORDS: dict[str, tuple[str, str, str]] = {
    "all": ("all", "все", "усі"),
    "quiz": ("quiz", "викторина", "вікторина"),
    "print": ("print", "печать", "друк"),
    "theme": ("light or dark", "светлая или тёмная", "світла чи темна"),
    "report": ("Match report", "Разбор матча", "Розбір матчу"),
    "session": ("money session", "игра на деньги", "гра на гроші"),
    "winner": ("winner: {name}", "победитель: {name}", "переможець: {name}"),
    "unfinished": ("unfinished", "не окончен", "не закінчено"),
    "summary": ("Summary", "Сводка", "Підсумок"),
    "curve_mwc": ("Chance to win the match", "Шансы выиграть матч", "Шанси виграти матч"),
    "curve_points": ("Score and equity, points", "Счёт и эквити, очки", "Рахунок і еквіті, очки"),
    "errors": ("Errors, the costliest first", "Ошибки, начиная с самых дорогих",
               "Помилки, починаючи з найдорожчих"),
    "no_errors": ("No errors worth a name.", "Заметных ошибок нет.", "Помітних помилок немає."),
    "games": ("Games", "Партии", "Партії"),
    "game": ("Game {number}", "Партия {number}", "Партія {number}"),
    "wins": ("{name} wins {points}", "{name} выигрывает {points}", "{name} виграє {points}"),
    "definitions": ("What the figures mean", "Что означают числа", "Що означають числа"),
    # rows of the summary
    "pr": ("PR", "PR", "PR"),
    "gnubg": ("gnubg error rate, mEMG", "ошибки по gnubg, mEMG", "помилки за gnubg, mEMG"),
    "snowie": ("Snowie error rate", "ошибки по Snowie", "помилки за Snowie"),
    "decisions": ("decisions that count", "учтённых решений", "врахованих рішень"),
    "lost": ("equity lost", "потеряно эквити", "втрачено еквіті"),
    "lost_mwc": ("winning chance lost", "потеряно шансов на матч", "втрачено шансів на матч"),
    "lost_points": ("points lost", "потеряно очков", "втрачено очок"),
    "play_lost": ("by plays", "ходами", "ходами"),
    "cube_lost": ("by the cube", "кубом", "кубом"),
    "size_error": ("errors", "ошибки", "помилки"),
    "size_blunder": ("blunders", "грубые ошибки", "грубі помилки"),
    "size_doubtful": ("doubtful", "сомнительные", "сумнівні"),
    "size_bad": ("bad", "плохие", "погані"),
    "size_very bad": ("very bad", "очень плохие", "дуже погані"),
    "missed double": ("missed doubles", "пропущено даве", "пропущено даве"),
    "missed cash": ("missed cashes", "пропущено даве с пасом", "пропущено даве з пасом"),
    "wrong double": ("wrong doubles", "преждевременные даве", "передчасні даве"),
    "too good": ("doubled too good positions", "даве вместо игры на марс",
                 "даве замість гри на марс"),
    "wrong take": ("wrong takes", "неверно принято", "хибно прийнято"),
    "wrong pass": ("wrong passes", "неверные пасы", "хибні паси"),
    "wrong beaver": ("wrong beavers", "неверные биверы", "хибні бівери"),
    "missed beaver": ("missed beavers", "пропущено биверов", "пропущено біверів"),
    "resigned too much": ("resigned too much", "сдано слишком дорого", "здано задорого"),
    "accepted too little": ("accepted too small resignations", "принято слишком дешёвых сдач",
                            "прийнято задешевих здач"),
    "resignations": ("Resignations", "Сдачи", "Здачі"),
    "luck": ("luck, equity", "удача, эквити", "удача, еквіті"),
    "luck_mwc": ("luck, winning chance", "удача, шансы на матч", "удача, шанси на матч"),
    "luck_points": ("luck, points", "удача, очки", "удача, очки"),
    "lucky": ("lucky rolls", "удачных бросков", "вдалих кидків"),
    "unlucky": ("unlucky rolls", "неудачных бросков", "невдалих кидків"),
    "result": ("result", "результат", "результат"),
    "adjusted": ("result without luck", "результат без удачи", "результат без удачі"),
    "unjudged": ("not judged", "без оценки", "без оцінки"),
    "skill": ("level of play", "уровень игры", "рівень гри"),
    # decisions
    "number": ("no.", "№", "№"),
    "roll": ("roll", "бросать", "кидати"),
    "pass": terms.table()["drop"],
    "raccoon": ("raccoon", "енот", "єнот"),
    "resign": ("resigns", "сдаётся", "здається"),
    "accept": ("accepts the resignation", "принимает сдачу", "приймає здачу"),
    "play_on": ("play on", "играть дальше", "грати далі"),
    "board": ("position set", "расстановка", "розстановка"),
    "dance": ("no move", "нет хода", "немає ходу"),
    "forced": ("forced", "вынужденный", "вимушений"),
    "trivial": ("not counted", "не учитывается", "не враховується"),
    "illegal": ("illegal play, not judged", "ход против правил, без оценки",
                "хід проти правил, без оцінки"),
    "not analysed": ("not judged", "без оценки", "без оцінки"),
    "stopped": ("not judged yet", "ещё без оценки", "ще без оцінки"),
    "played": ("played", "сыграно", "зіграно"),
    "best": ("best", "лучше", "краще"),
    "done": ("done", "сделано", "зроблено"),
    "double?": ("Double?", "Даве?", "Даве?"),
    "take?": ("Take?", "Принять?", "Прийняти?"),
    "play?": ("What is the play?", "Как сыграть?", "Як зіграти?"),
    "candidates": ("candidates", "кандидаты", "кандидати"),
    "cost": ("cost", "цена", "ціна"),
    "by_file": ("by {program}", "по {program}", "за {program}"),
    "judged_by": ("judged by {engine}", "оценка: {engine}", "оцінка: {engine}"),
    "level_is": ("level {level}", "уровень {level}", "рівень {level}"),
    "incomplete": ("The analysis was stopped early.", "Разбор прерван.", "Розбір перервано."),
    "very lucky": ("very lucky", "очень удачно", "дуже вдало"),
    "very unlucky": ("very unlucky", "очень неудачно", "дуже невдало"),
    "one_lucky": ("lucky", "удачно", "вдало"),
    "one_unlucky": ("unlucky", "неудачно", "невдало"),
    # words of skill, by PR
    "world champion": ("world champion", "чемпион мира", "чемпіон світу"),
    "world class": ("world class", "мировой класс", "світовий клас"),
    "expert": ("expert", "эксперт", "експерт"),
    "advanced": ("advanced", "сильный", "сильний"),
    "intermediate": ("intermediate", "средний", "середній"),
    "casual": ("casual", "любитель", "аматор"),
    "beginner": ("beginner", "начинающий", "початківець"),
    # definitions
    "about_pr": (
        "PR as eXtreme Gammon defines it: equity lost × 500 / decisions that count. Plays count if "
        "there was a choice that mattered; doubles, takes and passes always; decisions to roll if "
        "rolling is worth more than 0 and at most 0.2 better than doubling.",
        "PR по определению eXtreme Gammon: потерянное эквити × 500 / учтённые решения. Ходы "
        "учитываются, если был значимый выбор; даве, принятие и пас — всегда; бросок без даве — "
        "если он стоит больше 0 и лучше даве не более чем на 0,2.",
        "PR за визначенням eXtreme Gammon: втрачене еквіті × 500 / враховані рішення. Ходи "
        "враховуються, якщо був значущий вибір; даве, прийняття й пас — завжди; кидок без даве — "
        "якщо він вартий більше 0 і кращий за даве не більш як на 0,2."),
    "about_gnubg": (
        "gnubg: equity lost × 1000 / plays with a choice and close or actual cube decisions.",
        "gnubg: потерянное эквити × 1000 / ходы с выбором и близкие или состоявшиеся решения о "
        "кубе.",
        "gnubg: втрачене еквіті × 1000 / ходи з вибором і близькі або ухвалені рішення про куб."),
    "about_snowie": (
        "Snowie: equity lost × 1000 / moves of both players.",
        "Snowie: потерянное эквити × 1000 / ходы обоих игроков.",
        "Snowie: втрачене еквіті × 1000 / ходи обох гравців."),
    "about_sizes": ("Sizes of errors, by equity lost: {sizes}.",
                    "Размеры ошибок по потерянному эквити: {sizes}.",
                    "Розміри помилок за втраченим еквіті: {sizes}."),
    "about_luck": (
        "Luck: the best play of the roll against the average of all rolls. The result without luck "
        "is the result less the player's luck, plus the opponent's.",
        "Удача: лучший ход броска против среднего по всем броскам. Результат без удачи — результат "
        "минус удача игрока плюс удача соперника.",
        "Удача: найкращий хід кидка проти середнього за всіма кидками. Результат без удачі — "
        "результат мінус удача гравця плюс удача суперника."),
    "about_resignations": (
        "Resignations: the points given up against what playing on is worth. They are in no rating "
        "and in no sum of errors.",
        "Сдачи: отданные очки против того, чего стоит продолжение игры. Ни в рейтинги, ни в суммы "
        "ошибок они не входят.",
        "Здачі: віддані очки проти того, чого варте продовження гри. Ні до рейтингів, ні до сум "
        "помилок вони не входять."),
    # several files
    "file": ("file", "файл", "файл"),
    "player": ("player", "игрок", "гравець"),
    "matches": ("matches", "матчи", "матчі"),
    "won": ("won", "выиграно", "виграно"),
    "team_won": ("Team match: {name} wins {own}–{opp}",
                 "Командный матч: {name} побеждает {own}–{opp}",
                 "Командний матч: {name} перемагає {own}–{opp}"),
    "team_level": ("Team match: {own}–{opp}, level", "Командный матч: {own}–{opp}, ничья",
                   "Командний матч: {own}–{opp}, нічия"),
}

# Words for a PR, as players use them: up to the limit.
SKILLS = (
    (2.5, "world champion"), (5.0, "world class"), (7.5, "expert"), (12.5, "advanced"),
    (17.5, "intermediate"), (22.5, "casual"), (float("inf"), "beginner"),
)


def word(key: str, lang: str = "en", **values: object) -> str:
    """The word or phrase in `lang` with `{placeholders}` filled in. ValueError for an unknown
    language or key."""
    if key not in _WORDS:
        return terms.term(key, lang, **values)
    text = _WORDS[key][terms.language(lang)]
    return text.format(**values) if values else text


def known(key: str) -> bool:
    return key in _WORDS or terms.known(key)


def skill(pr: float) -> str:
    """The key of the word for a performance rating."""
    return next(name for limit, name in SKILLS if pr < limit or limit == float("inf"))
