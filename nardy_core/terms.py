"""Words of the two games in English, Russian and Ukrainian: one table for pictures and text output.

Machine output (JSON, CSV) never passes through here: its names are fixed and English.
Phrases that would need plural forms are worded as "label: number".
"""

from collections.abc import Mapping
from types import MappingProxyType

from nardy_core.checks import one_of

LANGUAGES = ("en", "ru", "uk")

# key: (English, Russian, Ukrainian)
_TERMS: dict[str, tuple[str, str, str]] = {
    # games
    "backgammon": ("Backgammon", "Короткие нарды", "Короткі нарди"),
    "nackgammon": ("Nackgammon", "Накгаммон", "Накгамон"),
    "hypergammon1": ("Hypergammon, 1 checker", "Гипергаммон, шашек: 1", "Гіпергамон, шашок: 1"),
    "hypergammon2": ("Hypergammon, 2 checkers", "Гипергаммон, шашек: 2", "Гіпергамон, шашок: 2"),
    "hypergammon3": ("Hypergammon", "Гипергаммон", "Гіпергамон"),
    "long_nardy": ("Long nardy", "Длинные нарды", "Довгі нарди"),
    # sides
    "white": ("White", "Белые", "Білі"),
    "black": ("Black", "Чёрные", "Чорні"),
    "on_roll": ("On roll: {name}", "Ход: {name}", "Хід: {name}"),
    "own_points": ("own points", "свои пункты", "свої пункти"),
    # board
    "checker": ("checker", "шашка", "шашка"),
    "point": ("point", "пункт", "пункт"),
    "head": ("head", "голова", "голова"),
    "start_quarter": ("start quarter", "первая четверть", "стартова чверть"),
    "home_board": ("home board", "дом", "дім"),
    "outer_board": ("outer board", "двор", "двір"),
    "bar": ("bar", "бар", "бар"),
    "off": ("off", "снято", "знято"),
    "blot": ("blot", "блот", "блот"),
    "block": ("block", "блок", "блок"),
    "wall": ("wall", "стена", "стіна"),
    "prime": ("prime", "прайм", "прайм"),
    "stack": ("stack", "столбик", "стовпчик"),
    "n_on_point": ("{count} on {point}", "{count} на {point}", "{count} на {point}"),
    "n_on_bar": ("{count} on the bar", "{count} на баре", "{count} на барі"),
    "n_off": ("off: {count}", "снято: {count}", "знято: {count}"),
    "no_checkers": ("no checkers", "нет шашек", "немає шашок"),
    # dice and turns
    "dice": ("dice", "кости", "кубики"),
    "rolled": ("rolled {dice}", "бросок {dice}", "кидок {dice}"),
    "roll": ("roll", "бросок", "кидок"),
    "to_roll": ("on roll", "ход", "хід"),
    "double_roll": ("double", "дубль", "дубль"),
    "turn": ("turn", "ход", "хід"),
    "play": ("play", "ход", "хід"),
    "plays": ("plays", "ходы", "ходи"),
    "pips": ("pips", "пипсы", "очки"),
    "bear_in": ("bear in", "завод", "заведення"),
    "bear_off": ("bear off", "выброс", "зняття"),
    "pass_turn": ("no legal play", "нет хода", "немає ходу"),
    # results
    "win": ("win", "выигрыш", "виграш"),
    "lose": ("loss", "проигрыш", "програш"),
    "single": ("single", "простая игра", "проста гра"),
    "gammon": ("gammon", "марс", "марс"),
    "backgammon_result": ("backgammon", "кокс", "кокс"),
    "oin": ("oin", "оин", "оїн"),
    "mars": ("mars", "марс", "марс"),
    "koks": ("koks", "кокс", "кокс"),
    "home_mars": ("home mars", "домашний марс", "домашній марс"),
    "draw": ("draw", "ничья", "нічия"),
    "resign": ("resign", "сдача", "здача"),
    "gammons": ("g", "м", "м"),
    "backgammons": ("bg", "к", "к"),
    # cube
    "cube": ("cube", "куб", "куб"),
    "cube_centre": ("cube {value} in the centre", "куб {value} в центре", "куб {value} у центрі"),
    "cube_owned": (
        "cube {value}, owner: {name}",
        "куб {value}, владелец: {name}",
        "куб {value}, власник: {name}",
    ),
    "cube_offered": (
        "cube offered at {value}",
        "предложен куб {value}",
        "запропоновано куб {value}",
    ),
    "resigns": (
        "{name} offers to resign: {points}",
        "{name}: сдача, очков: {points}",
        "{name}: здача, очок: {points}",
    ),
    "double": ("double", "даве", "даве"),
    "redouble": ("redouble", "редабл", "редабл"),
    "no_double": ("no double", "без даве", "без даве"),
    "no_redouble": ("no redouble", "без редабла", "без редабла"),
    "double_take": ("double, take", "даве, принято", "даве, прийнято"),
    "double_pass": ("double, pass", "даве, пас", "даве, пас"),
    "double_beaver": ("double, beaver", "даве, бивер", "даве, бівер"),
    "redouble_take": ("redouble, take", "редабл, принято", "редабл, прийнято"),
    "redouble_pass": ("redouble, pass", "редабл, пас", "редабл, пас"),
    "redouble_beaver": ("redouble, beaver", "редабл, бивер", "редабл, бівер"),
    "beaver_pass": ("beaver, drop", "бивер, пас", "бівер, пас"),
    "raccoon": ("raccoon, take", "енот, принято", "єнот, прийнято"),
    "raccoon_pass": ("raccoon, drop", "енот, пас", "єнот, пас"),
    "take_or_pass": ("take or pass", "принять или пас", "прийняти або пас"),
    "optional_double": ("optional double", "даве по желанию", "даве за бажанням"),
    "optional_redouble": ("optional redouble", "редабл по желанию", "редабл за бажанням"),
    "beaver": ("beaver", "бивер", "бівер"),
    "beavers": ("beavers", "с биверами", "з біверами"),
    "take": ("take", "принять", "прийняти"),
    "drop": ("pass", "пас", "пас"),
    "too_good": ("too good to double", "слишком хорошо для даве", "занадто добре для даве"),
    "too_good_redouble": (
        "too good to redouble",
        "слишком хорошо для редабла",
        "занадто добре для редабла",
    ),
    # why the cube stays where it is
    "unavailable": ("cube not available", "куб у соперника", "куб у суперника"),
    "no_cube": (
        "no cube in play: these rules have none",
        "игра без куба: в этих правилах его нет",
        "гра без куба: у цих правилах його немає",
    ),
    # match equity tables of long nardy
    "met_cube": (
        "long nardy {points}, cube, {starter}",
        "длинные нарды {points}, с кубом, {starter}",
        "довгі нарди {points}, з кубом, {starter}",
    ),
    "met_no_cube": (
        "long nardy {points}, no cube, {starter}",
        "длинные нарды {points}, без куба, {starter}",
        "довгі нарди {points}, без куба, {starter}",
    ),
    "met_roll": ("next by roll", "начинают по броску", "починають за кидком"),
    "met_winner": ("next by winner", "начинает победитель", "починає переможець"),
    "met_alternate": ("next by alternate", "начинают по очереди", "починають по черзі"),
    "in_crawford": ("Crawford game", "партия Кроуфорда", "партія Кроуфорда"),
    "at_limit": ("the cube is at its limit", "куб на пределе", "куб на межі"),
    "dead": ("dead cube", "мёртвый куб", "мертвий куб"),
    "dead_note": (
        "dead cube: twice as many points win no more of the match",
        "мёртвый куб: вдвое больше очков шансов на матч не прибавят",
        "мертвий куб: удвічі більше очок шансів на матч не додадуть",
    ),
    "automatic_double": (
        "automatic double: a game lost is the match lost anyway",
        "даве обязательно: проигранная партия и так проигрывает матч",
        "даве обов'язкове: програна партія і так програє матч",
    ),
    "automatic_redouble": (
        "after a take the redouble is automatic: the match is at stake anyway",
        "после принятия редабл обязателен: на кону и так весь матч",
        "після прийняття редабл обов'язковий: на кону і так увесь матч",
    ),
    "free_drop": (
        "free drop: after a pass the trailer needs as many games as before",
        "бесплатный пас: отстающему нужно столько же партий, что и раньше",
        "безкоштовний пас: тому, хто відстає, треба стільки ж партій, що й раніше",
    ),
    "right_if_takes": (
        "a double is right if the opponent takes wrongly in {share}",
        "даве верно, если соперник ошибочно принимает в {share}",
        "даве правильне, якщо суперник помилково приймає у {share}",
    ),
    "right_if_passes": (
        "a double is right if the opponent passes wrongly in {share}",
        "даве верно, если соперник ошибочно пасует в {share}",
        "даве правильне, якщо суперник помилково пасує у {share}",
    ),
    # where a cube decision changes
    "doubling_window": (
        "doubling window: {low} to {high}; chance to win: {win}",
        "окно даве: от {low} до {high}; шансы на выигрыш: {win}",
        "вікно даве: від {low} до {high}; шанси на виграш: {win}",
    ),
    "model": ("model", "модель", "модель"),
    "live": ("live cube", "живой куб", "живий куб"),
    "point_take": ("own take from", "принять от", "прийняти від"),
    "point_beaver": ("beaver below", "бивер ниже", "бівер нижче"),
    "point_initial": ("double from", "даве от", "даве від"),
    "point_redouble": ("redouble from", "редабл от", "редабл від"),
    "point_cash": ("cash from", "пас соперника от", "пас суперника від"),
    "point_opp_take": ("opponent takes from", "соперник принимает от", "суперник приймає від"),
    "point_too_good": ("too good above", "слишком хорошо выше", "занадто добре вище"),
    # cube decisions
    "cube_head": ("cube {value}, {owner}", "куб {value}, {owner}", "куб {value}, {owner}"),
    "centre": ("in the centre", "в центре", "у центрі"),
    "own": ("own", "свой", "свій"),
    "opp": ("the opponent's", "соперника", "суперника"),
    "cubeless": ("cubeless", "без куба", "без куба"),
    "cubeless_doubled": ("cubeless, doubled", "без куба, удвоено", "без куба, подвоєно"),
    "exact": ("exact", "точно", "точно"),
    "cube_efficiency": ("cube efficiency {x}", "эффективность куба {x}", "ефективність куба {x}"),
    "away": (
        "{own} away v {opp} away",
        "до победы {own} против {opp}",
        "до перемоги {own} проти {opp}",
    ),
    "jacoby": ("Jacoby", "правило Якоби", "правило Якобі"),
    "crawford": ("Crawford", "правило Кроуфорда", "правило Кроуфорда"),
    "pre_crawford": ("pre-Crawford", "до Кроуфорда", "до Кроуфорда"),
    "post_crawford": ("post-Crawford", "после Кроуфорда", "після Кроуфорда"),
    # match
    "game": ("game", "партия", "партія"),
    "match": ("match", "матч", "матч"),
    "match_to": ("match to {length}", "матч до {length}", "матч до {length}"),
    "money_game": ("money game", "игра на деньги", "гра на гроші"),
    "score": ("score", "счёт", "рахунок"),
    # analysis
    "equity": ("equity", "эквити", "еквіті"),
    "rollout": ("rollout", "роллаут", "роллаут"),
    "luck": ("luck", "удача", "удача"),
    "error": ("error", "ошибка", "помилка"),
    "best": ("best", "лучший", "найкращий"),
    "level": ("level", "уровень", "рівень"),
    # rollouts; levels ("2-ply") are named as everywhere
    "trials": ("{count} trials", "испытаний: {count}", "випробувань: {count}"),
    "trials_of": ("trials", "испытаний", "випробувань"),
    "seed": ("seed {seed}", "зерно {seed}", "зерно {seed}"),
    "plain": ("plain", "без снижения дисперсии", "без зниження дисперсії"),
    "truncated": ("truncated at {ply}", "до полухода {ply}", "до півходу {ply}"),
    "cubeful": ("cubeful {level}-ply", "с кубом {level}-ply", "з кубом {level}-ply"),
    "from_ply": (
        "{level}-ply from ply {ply}",
        "{level}-ply с полухода {ply}",
        "{level}-ply з півходу {ply}",
    ),
    "max_time": ("max_time", "время вышло", "час вийшов"),
    "stopped": ("stopped", "прервано", "перервано"),
    "running": ("running", "ещё идёт", "ще триває"),
    "below_zero": (
        "chances that came out below 0, down to {least} %, are shown as 0, and the others scaled",
        "шансы, которые вышли ниже 0, до {least} %, показаны как 0, остальные пересчитаны",
        "шанси, які вийшли нижче 0, до {least} %, показано як 0, решту перераховано",
    ),
    "signature": ("signature {value}", "подпись {value}", "підпис {value}"),
    "interval": ("95 % interval", "интервал 95 %", "інтервал 95 %"),
    "the_position": ("position", "позиция", "позиція"),
    "progress": ("{share} % of {count}", "{share} % из {count}", "{share} % з {count}"),
    "trials_per_second": ("{rate} trials/s", "испытаний/с: {rate}", "випробувань/с: {rate}"),
    "time_left": ("{time} left", "осталось {time}", "лишилося {time}"),
    "nets_and_last_roll": (
        "the nets do not know of the last roll: bear-off tables, the last roll itself and rollouts "
        "to the end count it",
        "сети не знают о последнем броске: его учитывают таблицы выброса, сам последний бросок и "
        "роллауты до конца",
        "мережі не знають про останній кидок: його враховують таблиці зняття, сам останній кидок "
        "і роллаути до кінця",
    ),
    # duels
    "games_played": (
        "{first} against {second}: {count} games of {game}",
        "{first} против {second}: {game}, партий: {count}",
        "{first} проти {second}: {game}, партій: {count}",
    ),
    "points_a_game": ("points a game", "очков за партию", "очок за партію"),
    "without_luck": ("without luck", "без удачи", "без удачі"),
    "wins": ("wins", "побед", "перемог"),
    "first_mover": ("first mover", "первый ход", "перший хід"),
    # speeds
    "machine": (
        "kernels {kernels}, threads {threads}",
        "ядра {kernels}, потоков: {threads}",
        "ядра {kernels}, потоків: {threads}",
    ),
    "a_second": ("{rate} /s", "{rate} /с", "{rate} /с"),
    "legal_results": ("legal results", "допустимые ходы", "допустимі ходи"),
    "evaluations": (
        "evaluations, level {level}",
        "оценки, уровень {level}",
        "оцінки, рівень {level}",
    ),
    "rolls_decided": (
        "rolls decided, level {level}",
        "выбор хода, уровень {level}",
        "вибір ходу, рівень {level}",
    ),
    "cube_decisions": (
        "cube decisions, level {level}",
        "решения о кубе, уровень {level}",
        "рішення про куб, рівень {level}",
    ),
    "exact_bearoffs": ("exact bear-offs", "точные выбросы", "точні зняття"),
    "rollout_trials": ("rollout trials", "испытания роллаута", "випробування роллауту"),
    # files of tables
    "bytes": ("{count} bytes", "байт: {count}", "байтів: {count}"),
    "missing": ("missing", "нет", "немає"),
    "present": ("present", "есть", "є"),
    "good": ("good", "цел", "цілий"),
    "damaged": ("damaged", "повреждён", "пошкоджено"),
}

# Columns of tables that no term names. In English they are called as in JSON and CSV.
_COLUMNS: dict[str, tuple[str, str]] = {
    "own": ("свои", "свої"),
    "opp": ("чужие", "чужі"),
    "mwc": ("матч", "матч"),
    "post_crawford": ("после Кроуфорда", "після Кроуфорда"),
    "own_begins": ("начинаем", "починаємо"),
    "opp_begins": ("начинает соперник", "починає суперник"),
    "win_gammon": ("цена марса", "ціна марса"),
    "lose_gammon": ("цена марса сопернику", "ціна марса супернику"),
    "win_backgammon": ("цена кокса", "ціна кокса"),
    "lose_backgammon": ("цена кокса сопернику", "ціна кокса супернику"),
    "win_gammons": ("марсов в победах", "марсів у перемогах"),
    "lose_gammons": ("марсов в поражениях", "марсів у поразках"),
    "win_mars": ("цена марса", "ціна марса"),
    "win_koks": ("цена кокса", "ціна кокса"),
    "win_home_mars": ("цена домашнего марса", "ціна домашнього марса"),
    "lose_mars": ("цена марса сопернику", "ціна марса супернику"),
    "lose_koks": ("цена кокса сопернику", "ціна кокса супернику"),
    "lose_home_mars": ("цена домашнего марса сопернику", "ціна домашнього марса супернику"),
    "mars_won": ("марсов в победах", "марсів у перемогах"),
    "koks_won": ("коксов в победах", "коксів у перемогах"),
    "home_mars_won": ("домашних марсов в победах", "домашніх марсів у перемогах"),
    "mars_lost": ("марсов в поражениях", "марсів у поразках"),
    "koks_lost": ("коксов в поражениях", "коксів у поразках"),
    "home_mars_lost": ("домашних марсов в поражениях", "домашніх марсів у поразках"),
    "initial": ("даве", "даве"),
    "cash": ("пас", "пас"),
    "too_good": ("слишком хорошо", "занадто добре"),
    "win_double": ("шансы: даве", "шанси: даве"),
    "win_redouble": ("шансы: редабл", "шанси: редабл"),
    "win_cash": ("шансы: пас", "шанси: пас"),
    "dice": ("бросок", "кидок"),
    "rank": ("место", "місце"),
    "opening": ("первый бросок", "перший кидок"),
    "opening_play": ("первый ход", "перший хід"),
    "difference": ("разница", "різниця"),
    "level": ("уровень", "рівень"),
    "action": ("решение", "рішення"),
    "standard_error": ("ошибка", "похибка"),
    "ways": ("из 36", "з 36"),
    "own_mean": ("свои: бросков", "свої: кидків"),
    "own_deviation": ("свои: разброс", "свої: розкид"),
    "own_epc": ("свои: EPC", "свої: EPC"),
    "opp_mean": ("чужие: бросков", "чужі: кидків"),
    "opp_deviation": ("чужие: разброс", "чужі: розкид"),
    "opp_epc": ("чужие: EPC", "чужі: EPC"),
    "equity_cubeless": ("эквити без куба", "еквіті без куба"),
    "equity_own": ("эквити, свой куб", "еквіті, свій куб"),
    "equity_centred": ("эквити, куб в центре", "еквіті, куб у центрі"),
    "equity_opponent": ("эквити, куб соперника", "еквіті, куб суперника"),
    "equity_double_take": ("эквити, даве принято", "еквіті, даве прийнято"),
}
_LIMITS = {"_dead": ("мёртвый куб", "мертвий куб"), "_live": ("живой куб", "живий куб")}


def language(lang: str) -> int:
    """Its place in `LANGUAGES`; ValueError for one that is not there."""
    one_of("language", lang, LANGUAGES)
    return LANGUAGES.index(lang)


def term(key: str, lang: str = "en", **values: object) -> str:
    """The word or phrase `key` in `lang` ("en", "ru", "uk"), {placeholders} filled in by `values`.

    Raises ValueError for a language or key that is not in the table.
    """
    at = language(lang)
    if key not in _TERMS:
        raise ValueError(f"unknown term {key!r}")
    text = _TERMS[key][at]
    return text.format(**values) if values else text


def table() -> Mapping[str, tuple[str, str, str]]:
    """All terms by key, each in the order of LANGUAGES."""
    return MappingProxyType(_TERMS)


def known(key: str) -> bool:
    """Is there a term `key`?"""
    return key in _TERMS


def column(name: str, lang: str = "en") -> str:
    """Heading of a table's column; in English, and for a name that is not known, the name itself.

    Raises ValueError for an unknown language.
    """
    at = language(lang)
    if at == 0:
        return name
    for ending, words in _LIMITS.items():
        if name.endswith(ending):
            return f"{column(name.removesuffix(ending), lang)}, {words[at - 1]}"
    if name in _COLUMNS:
        return _COLUMNS[name][at - 1]
    return _TERMS[name][at] if name in _TERMS else name


def game_name(game: str, lang: str = "en") -> str:
    """A game in the middle of a sentence."""
    name = term(game, lang)
    return name[:1].lower() + name[1:]


def outcome(name: str, lang: str = "en") -> str:
    """An outcome class by its `name` in the engine, in words: "win koks"."""
    side, _, kind = name.partition("_")
    key = {"backgammon": "backgammon_result"}.get(kind, kind)
    return f"{term(side, lang)}: {term(key, lang)}" if lang != "en" else name.replace("_", " ")


def capital(text: str) -> str:
    """With a capital letter at the beginning, the rest as it is."""
    return text[:1].upper() + text[1:]
